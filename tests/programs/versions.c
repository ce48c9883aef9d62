/* SPDX-License-Identifier: MIT */
/* Calls both versions of memcpy that glibc has; programs from before 2011 have the older one. Both allow overlap. */
#include <stdio.h>
#include <string.h>

__asm__(".symver memcpy_old, memcpy@GLIBC_2.2.5");
__asm__(".symver memcpy_new, memcpy@GLIBC_2.14");
extern void *memcpy_old(void *, const void *, size_t);
extern void *memcpy_new(void *, const void *, size_t);

static int try_overlap(void *(*volatile function)(void *, const void *, size_t)) {
  static char area[8192], right[8192];
  for (size_t n = 1; n < 3000; n += 61) {
    for (int distance = -70; distance <= 70; distance += 7) {
      for (size_t i = 0; i < sizeof area; i++)
        area[i] = right[i] = (char)(i * 31);
      for (size_t i = 0; i < n; i++)
        right[(size_t)(1000 + distance) + i] = area[1000 + i];
      function(area + 1000 + distance, area + 1000, n);
      for (size_t i = 0; i < sizeof area; i++) {
        if (area[i] != right[i])
          return 1;
      }
    }
  }
  return 0;
}

int main(void) {
  if (try_overlap(memcpy_old) || try_overlap(memcpy_new))
    return 1;
  puts("versions are right");
  return 0;
}
