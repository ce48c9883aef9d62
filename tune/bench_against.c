/* SPDX-License-Identifier: MIT */
/* Copy functions of other libraries, each tried before it is measured. */
#define _GNU_SOURCE 1 /* dladdr */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* dlsym() goes on in the libraries that the handle depends on: an answer from there would compare the C library with itself. */
static int is_of(void *symbol, const char *path) {
  Dl_info info;
  char wanted[PATH_MAX], found[PATH_MAX];
  if (dladdr(symbol, &info) == 0 || info.dli_fname == NULL || realpath(path, wanted) == NULL ||
      realpath(info.dli_fname, found) == NULL)
    return 1;
  return strcmp(wanted, found) == 0;
}

static unsigned char trial_byte(size_t at, size_t size) { return (unsigned char)(at * 7 + at / 256 + size + 1); }

/* Does a copy of `size` bytes, or a move of them by 5 either way, write them and no others? */
static int copies_right(copy_function *function, int for_memmove, size_t size, unsigned char *area) {
  enum { EDGE = 64, BY = 5, OF_SRC = 0xa5, OF_DST = 0x5a };
  size_t room = size + 2 * EDGE;
  for (int turn = 0; turn < (for_memmove ? 3 : 1); turn++) {
    unsigned char *src = area + EDGE;
    unsigned char *dst = turn == 0 ? area + room + EDGE : turn == 1 ? src + BY : src - BY;
    for (size_t i = 0; i < 2 * room; i++)
      area[i] = i < room ? OF_SRC : OF_DST;
    for (size_t i = 0; i < size; i++)
      src[i] = trial_byte(i, size);
    function(dst, src, size);
    for (size_t i = 0; i < size; i++) {
      if (dst[i] != trial_byte(i, size))
        return 0;
    }
    const unsigned char edge = turn == 0 ? OF_DST : OF_SRC;
    for (size_t i = 1; i <= EDGE - BY; i++) {
      if ((turn != 1 && *(dst - i) != edge) || (turn != 2 && dst[size + i - 1] != edge))
        return 0;
    }
  }
  return 1;
}

/*
 * Whatever the function is, it is called in a process of its own first: figures of something that does not copy would
 * mislead, and a crash would say nothing.
 */
static int try_copies(const char *path, const char *symbol, copy_function *function, int for_memmove) {
  static const size_t larger[] = {511, 4096, 5000, 70000, 300000};
  enum { SMALL = 300, MOST = 300000, ROOM = 2 * (MOST + 256) };
  size_t *size = mmap(NULL, sizeof *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned char *area = malloc(ROOM);
  pid_t pid = size == MAP_FAILED || area == NULL ? -1 : fork();
  if (pid == 0) {
    alarm(10);
    for (size_t i = 0; i < SMALL + sizeof larger / sizeof larger[0]; i++) {
      *size = i < SMALL ? i : larger[i - SMALL];
      if (!copies_right(function, for_memmove, *size, area))
        _exit(1);
    }
    _exit(0);
  }
  int status = 0, failed = -1;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    tune_error("--against: %s: %s cannot be tried: %s", path, symbol, strerror(errno));
  else if (WIFSIGNALED(status))
    tune_error("--against: %s: %s is no copy function: called for %zu bytes it %s", path, symbol, *size,
               WTERMSIG(status) == SIGALRM ? "does not return" : "crashes");
  else if (status != 0)
    tune_error("--against: %s: %s is no %s: %zu bytes are not copied right", path, symbol,
               for_memmove ? "memmove" : "copy function", *size);
  else
    failed = 0;
  if (size != MAP_FAILED)
    munmap(size, sizeof *size);
  free(area);
  return failed;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* A heading: letters, digits, '_', '.' and '-'. */
static char *heading(const char *from) {
  char *text = strdup(from);
  if (text == NULL) {
    tune_error("not enough memory");
    exit(TUNE_FAILED);
  }
  for (char *c = text; *c != '\0'; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-' && *c != '.')
      *c = '_';
  }
  return text;
}

int bench_against(struct bench_subject *subject, const char *argument, unsigned symbols,
                  const struct bench_subject *taken, unsigned taken_count) {
  char path[PATH_MAX];
  const char *own = NULL; /* one function for all symbols */
  snprintf(path, sizeof path, "%s", argument);
  char *colon = strrchr(path, ':');
  if (colon != NULL && strchr(colon, '/') == NULL) {
    *colon = '\0';
    own = argument + (colon - path) + 1;
  }
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    tune_error("--against: %s", dlerror());
    return -1;
  }
  *subject = (struct bench_subject){0};
  int other = 0; /* is it of another name than what it stands for? */
  for (enum bench_symbol i = 0; i < BENCH_SYMBOLS; i++) {
    if ((symbols & BENCH_BIT(i)) == 0)
      continue;
    const char *symbol = own != NULL ? own : bench_symbol_names[i];
    copy_function *function = (copy_function *)dlsym(handle, symbol);
    if (function == NULL || (strchr(path, '/') != NULL && !is_of((void *)function, path))) {
      tune_error("--against: %s has no function %s", path, symbol);
      return -1;
    }
    if (try_copies(path, symbol, function, i == BENCH_MEMMOVE) != 0)
      return -1;
    subject->functions[i] = function;
    other |= strcmp(symbol, bench_symbol_names[i]) != 0;
  }
  const char *name = base_name(path);
  size_t length = strcspn(name, "."), copies = 1;
  char text[64];
  snprintf(text, sizeof text, "%.*s%s%s", length < 40 ? (int)length : 40, name, other ? "." : "", other ? own : "");
  for (unsigned i = 0; i < taken_count; i++) {
    size_t same = strlen(text);
    copies += strncmp(taken[i].name, text, same) == 0;
  }
  if (copies > 1)
    snprintf(text + strlen(text), sizeof text - strlen(text), ".%zu", copies);
  subject->name = heading(text);
  return 0;
}
