/* SPDX-License-Identifier: MIT */
/*
 * Copies to be counted by the plugin (count.c), on the target. Without the plugin it only copies. It stands in for
 * fastcopy-tune bench --suite chunks where that is not built, and counts more ways.
 *
 * usage: chunks [--set PARAMETER=NUMBER]... MODE FUNCTION DST SRC SIZE...
 *   FUNCTION  fastcopy_memcpy, memcpy, empty (does nothing: the cost of the call), or the name of a variant
 *   DST, SRC  bytes that the regions lie past a page's start
 *   MODE      count   CALLS calls each, of the same two regions
 *             cold    one call each, nothing in the cache
 *             walk    two buffers of WALK bytes, chunk after chunk, counted in the second round: what the cache holds
 *                     at the start is what the first round left
 *   SIZE      bytes, or the word chunks: those of fastcopy-tune bench --suite chunks
 * Prints a line for each line of the plugin: mode, function, DST, SRC, size, calls.
 * Exit status: 0 done, 1 a copy was wrong or could not be made, 2 wrong usage.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef WITHOUT_FASTCOPY
#include "arch/variant.h"
#include "lib/fastcopy.h"
#endif
#include "tune/chunks.h"
#include "tune/marks.h"

#define PAGE ((size_t)65536) /* at least, on any PowerPC */
#define WALK CHUNKS_AREA
#define CALLS 100

typedef void *copy(void *dst, const void *src, size_t n);

static unsigned char *dst_buffer, *src_buffer;

static void *empty(void *dst, const void *src, size_t n) {
  (void)src;
  (void)n;
  return dst;
}

/* The same instructions around each call, whatever is called. */
__attribute__((noinline)) static void call(copy *volatile *function, void *dst, const void *src, size_t n) {
  MARK(MARK_ON);
  (*function)(dst, src, n);
  MARK(MARK_OFF);
}

/* As call(), seen by nobody: binds what is bound late. */
__attribute__((noinline)) static void call_uncounted(copy *volatile *function, void *dst, const void *src, size_t n) {
  (*function)(dst, src, n);
}

#ifdef WITHOUT_FASTCOPY
static copy *find_function(const char *name) {
  if (strcmp(name, "memcpy") == 0)
    return memcpy;
  return strcmp(name, "empty") == 0 ? empty : NULL;
}

static int set_parameter(const char *text) {
  (void)text;
  return 0;
}
#else
static copy *find_function(const char *name) {
  if (strcmp(name, "fastcopy_memcpy") == 0)
    return fastcopy_memcpy;
  if (strcmp(name, "memcpy") == 0)
    return memcpy;
  if (strcmp(name, "empty") == 0)
    return empty;
  struct fastcopy_variant variant = {.size = sizeof variant};
  for (size_t i = 0; fastcopy_variants(i, &variant) == 0; i++) {
    if (strcmp(name, variant.name) == 0)
      return variant.usable ? variant.memmove : NULL;
  }
  return NULL;
}

/* The plan is read-only once the process runs. */
static int set_parameter(const char *text) {
  const char *equals = strchr(text, '=');
  if (equals == NULL)
    return 0;
  for (size_t i = 0; i < FC_PARAM_COUNT; i++) {
    if (strlen(fc_params[i].name) != (size_t)(equals - text) ||
        strncmp(text, fc_params[i].name, (size_t)(equals - text)) != 0)
      continue;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)&fc_live & -page, end = ((uintptr_t)(&fc_live + 1) + page - 1) & -page;
    if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) != 0)
      return 0;
    fc_live.params[i] = strtoul(equals + 1, NULL, 10);
    return 1;
  }
  return 0;
}
#endif

/* A measured copy that is wrong measures nothing. */
static int right(copy *function, size_t dst, size_t src, size_t n) {
  if (function == empty)
    return 1;
  const unsigned char *d = dst_buffer + dst, *s = src_buffer + src;
  for (size_t i = 0; i < n; i++) {
    if (d[i] != s[i])
      return 0;
  }
  return 1;
}

static int measure(const char *mode, copy *function, size_t dst, size_t src, size_t n, unsigned long *calls) {
  copy *volatile pointer = function;
  unsigned char *d = dst_buffer + dst;
  const unsigned char *s = src_buffer + src;
  memset(dst_buffer, 0x5a, PAGE + WALK);
  call_uncounted(&pointer, d, s, 1);
  if (strcmp(mode, "count") == 0) {
    for (int i = 0; i < 2; i++)
      call(&pointer, d, s, n);
    MARK(MARK_START);
    for (*calls = 0; *calls < CALLS; ++*calls)
      call(&pointer, d, s, n);
  } else if (strcmp(mode, "cold") == 0) {
    MARK(MARK_COLD);
    MARK(MARK_START);
    call(&pointer, d, s, n);
    *calls = 1;
  } else {
    for (int round = 0; round < 2; round++) {
      MARK(MARK_START);
      *calls = 0;
      for (size_t at = 0; at + n <= WALK; at += n, ++*calls)
        call(&pointer, d + at, s + at, n);
    }
  }
  MARK(MARK_REPORT);
  return right(function, dst, src, strcmp(mode, "walk") == 0 ? n * *calls : n);
}

static unsigned char *buffer(unsigned seed) {
  unsigned char *memory;
  if (posix_memalign((void **)&memory, PAGE, PAGE + WALK) != 0) {
    fprintf(stderr, "chunks: not enough memory\n");
    exit(1);
  }
  for (size_t i = 0; i < PAGE + WALK; i++) {
    seed = seed * 1664525 + 1013904223;
    memory[i] = (unsigned char)(seed >> 16);
  }
  return memory;
}

int main(int argc, char **argv) {
  int i = 1;
  for (; i + 1 < argc && strcmp(argv[i], "--set") == 0; i += 2) {
    if (!set_parameter(argv[i + 1])) {
      fprintf(stderr, "chunks: %s: not set\n", argv[i + 1]);
      return 1;
    }
  }
  if (argc - i < 5 || (strcmp(argv[i], "count") != 0 && strcmp(argv[i], "cold") != 0 && strcmp(argv[i], "walk") != 0)) {
    fprintf(stderr, "usage: chunks [--set PARAMETER=NUMBER]... count|cold|walk FUNCTION DST SRC SIZE...\n");
    return 2;
  }
  const char *mode = argv[i], *name = argv[i + 1];
  size_t dst = strtoul(argv[i + 2], NULL, 10), src = strtoul(argv[i + 3], NULL, 10);
  copy *function = find_function(name);
  if (function == NULL) {
    fprintf(stderr, "chunks: %s: no such function here\n", name);
    return 1;
  }
  dst_buffer = buffer(1);
  src_buffer = buffer(2);
  for (i += 4; i < argc; i++) {
    static const size_t chunks[] = CHUNKS_SIZES;
    int all = strcmp(argv[i], "chunks") == 0;
    for (size_t row = 0; row < (all ? sizeof chunks / sizeof chunks[0] : 1); row++) {
      size_t n = all ? chunks[row] : strtoul(argv[i], NULL, 10);
      unsigned long calls;
      if (n == 0 || n > WALK || dst >= PAGE || src >= PAGE) {
        fprintf(stderr, "chunks: %s: not a size from 1 to %zu\n", argv[i], WALK);
        return 2;
      }
      int done = measure(mode, function, dst, src, n, &calls);
      printf("%s %s %zu %zu %zu %lu\n", mode, name, dst, src, n, calls);
      if (!done) {
        fprintf(stderr, "chunks: %s of %zu bytes: wrong copy\n", name, n);
        return 1;
      }
    }
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
