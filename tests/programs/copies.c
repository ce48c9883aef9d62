/* SPDX-License-Identifier: MIT */
/*
 * A small program that copies, for runs under preload, valgrind, emulators and every way of linking.
 *
 * usage: copies            copy 0..300 bytes between heap blocks of exactly that size, by every name and variant
 *        copies overlap    memcpy with overlapping regions gives what memmove gives
 *        copies plan       print the plan in force
 *        copies list       print every variant, and "usable" or "unusable"
 *        copies secure     print AT_SECURE
 *
 * Exit status 0 done, 1 a copy is wrong, 2 wrong usage, 3 no libfastcopy in the process. FASTCOPY_LINKED: the program
 * is linked with it; else it is looked for, and absent when nobody preloaded it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <wchar.h>

#include "fastcopy.h"

typedef void *copy(void *dst, const void *src, size_t n);
typedef int describe(struct fastcopy_plan *plan);
typedef int enumerate(size_t index, struct fastcopy_variant *variant);

static copy *direct[3]; /* fastcopy_memcpy, fastcopy_memmove, fastcopy_mempcpy */
static describe *describe_plan;
static enumerate *enumerate_variants;

#ifdef FASTCOPY_LINKED
static void find_library(void) {
  direct[0] = fastcopy_memcpy;
  direct[1] = fastcopy_memmove;
  direct[2] = fastcopy_mempcpy;
  describe_plan = fastcopy_describe;
  enumerate_variants = fastcopy_variants;
}
#else
#include <dlfcn.h>
static void find_library(void) {
  *(void **)&direct[0] = dlsym(RTLD_DEFAULT, "fastcopy_memcpy");
  *(void **)&direct[1] = dlsym(RTLD_DEFAULT, "fastcopy_memmove");
  *(void **)&direct[2] = dlsym(RTLD_DEFAULT, "fastcopy_mempcpy");
  *(void **)&describe_plan = dlsym(RTLD_DEFAULT, "fastcopy_describe");
  *(void **)&enumerate_variants = dlsym(RTLD_DEFAULT, "fastcopy_variants");
}
#endif

/* Volatile, so that no compiler turns a call into moves of its own. */
static copy *volatile plain_memcpy = memcpy;
static copy *volatile plain_memmove = memmove;
static copy *volatile plain_mempcpy = mempcpy;

static int wrong;

static unsigned char pattern(size_t i, size_t n) { return (unsigned char)(i * 7 + n + 1); }

static void check(const char *name, const unsigned char *dst, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (dst[i] == pattern(i, n))
      continue;
    printf("%s: wrong byte %zu of %zu\n", name, i, n);
    wrong = 1;
    return;
  }
}

static void try_copy(const char *name, copy *function, int returns_end, size_t n) {
  unsigned char *src = malloc(n), *dst = malloc(n);
  if (n != 0 && (src == NULL || dst == NULL))
    abort();
  for (size_t i = 0; i < n; i++) {
    src[i] = pattern(i, n);
    dst[i] = 0;
  }
  if (function(dst, src, n) != (void *)(dst + (returns_end ? n : 0))) {
    printf("%s: wrong result for %zu bytes\n", name, n);
    wrong = 1;
  }
  check(name, dst, n);
  free(src);
  free(dst);
}

static void copy_blocks(void) {
  for (size_t n = 0; n <= 300; n++) {
    try_copy("memcpy", plain_memcpy, 0, n);
    try_copy("memmove", plain_memmove, 0, n);
    try_copy("mempcpy", plain_mempcpy, 1, n);
    for (int i = 0; i < 3; i++) {
      if (direct[i] != NULL)
        try_copy(i == 0 ? "fastcopy_memcpy" : i == 1 ? "fastcopy_memmove" : "fastcopy_mempcpy", direct[i], i == 2, n);
    }
    struct fastcopy_variant variant = {.size = sizeof variant};
    for (size_t i = 0; enumerate_variants != NULL && enumerate_variants(i, &variant) == 0; i++) {
      if (variant.usable)
        try_copy(variant.name, variant.memmove, 0, n);
    }
  }
}

static void overlap(copy *function, const char *name) {
  static unsigned char area[3000];
  for (size_t n = 1; n <= 1000; n += 37) {
    for (int distance = -130; distance <= 130; distance += 13) {
      unsigned char *src = area + 1000, *dst = src + distance;
      for (size_t i = 0; i < n; i++)
        src[i] = pattern(i, n);
      function(dst, src, n);
      check(name, dst, n);
    }
  }
}

static int print_plan(void) {
  struct fastcopy_plan plan = {.size = sizeof plan};
  if (describe_plan == NULL || describe_plan(&plan) != 0)
    return 3;
  printf("memcpy %s memmove %s source %s", plan.memcpy_variant, plan.memmove_variant, plan.source);
  for (size_t i = 0; i < plan.parameter_count; i++)
    printf(" %s=%zu", plan.parameters[i].name, plan.parameters[i].value);
  printf(" cpu=%#llx features=%#llx; %s\n", plan.cpu, plan.feature_hash, plan.reason);
  return 0;
}

static int list(void) {
  struct fastcopy_variant variant = {.size = sizeof variant};
  if (enumerate_variants == NULL)
    return 3;
  for (size_t i = 0; enumerate_variants(i, &variant) == 0; i++)
    printf("%s %s\n", variant.name, variant.usable ? "usable" : "unusable");
  return 0;
}

int main(int argc, char **argv) {
  find_library();
  if (argc == 1)
    copy_blocks();
  else if (argc == 2 && strcmp(argv[1], "overlap") == 0) {
    overlap(plain_memcpy, "memcpy");
    overlap(plain_memmove, "memmove");
  } else if (argc == 2 && strcmp(argv[1], "plan") == 0)
    return print_plan();
  else if (argc == 2 && strcmp(argv[1], "list") == 0)
    return list();
  else if (argc == 2 && strcmp(argv[1], "secure") == 0)
    return printf("%lu\n", getauxval(AT_SECURE)) < 0;
  else
    return 2;
  if (!wrong)
    printf("copies are right\n");
  return wrong;
}
