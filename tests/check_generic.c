/* SPDX-License-Identifier: MIT */
/* The portable copy alone, built with sanitizers: does it touch a byte outside the two regions? */
#include <stdio.h>
#include <stdlib.h>

#include "arch/generic/memmove.h"

static unsigned failures;

static void fail(const char *what, size_t n, size_t dst, size_t src) {
  if (failures++ < 20)
    printf("FAIL generic: %s: size %zu, dst + %zu, src + %zu\n", what, n, dst, src);
}

static unsigned char *block(size_t size) {
  unsigned char *bytes = malloc(size != 0 ? size : 1);
  if (bytes == NULL)
    abort();
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(i * 37 + size);
  return bytes;
}

/* Between two blocks that end with the regions. */
static void apart(size_t n, size_t dst, size_t src) {
  unsigned char *to = block(dst + n), *from = block(src + n);
  if (fc_memmove_generic(to + dst, from + src, n) != to + dst)
    fail("another result than dst", n, dst, src);
  for (size_t i = 0; i < n; i++) {
    if (to[dst + i] != (unsigned char)((src + i) * 37 + src + n)) {
      fail("copied wrong", n, dst, src);
      break;
    }
  }
  free(to);
  free(from);
}

/* Within one block that ends with the farther region. */
static void overlapping(size_t n, size_t dst, size_t src) {
  size_t size = (dst > src ? dst : src) + n;
  unsigned char *bytes = block(size);
  fc_memmove_generic(bytes + dst, bytes + src, n);
  for (size_t i = 0; i < n; i++) {
    if (bytes[dst + i] != (unsigned char)((src + i) * 37 + size)) {
      fail("copied wrong over itself", n, dst, src);
      break;
    }
  }
  free(bytes);
}

int main(void) {
  for (size_t n = 0; n <= 100; n++) {
    for (size_t i = 0; i < 16 * 16; i++) {
      apart(n, i / 16, i % 16);
      overlapping(n, i / 16, i % 16);
    }
  }
  printf("check_generic: %s\n", failures != 0 ? "FAILED" : "passed");
  return failures != 0;
}
