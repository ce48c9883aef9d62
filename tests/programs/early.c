/* SPDX-License-Identifier: MIT */
/*
 * A library whose own IFUNC is resolved while the process is half-built, by a resolver that copies: as a table of CPU
 * features is copied by value. Else the program, which asks what became of the copies.
 *
 *   EARLY_DSO      the library
 *   EARLY_APART    the library, when another makes the copies
 *   EARLY_COPIER   that other library
 *   EARLY_POINTER  the copies go through pointers in data
 *   EARLY_DIRECT   the copies go by the names for direct binding
 *   EARLY_CONTROL  a library to preload in place of libfastcopy: if that one fails, the loader is to blame
 *
 * Exit status of the program 0: every copy was right.
 */
#include <string.h>

#ifdef EARLY_CONTROL
/* Needs no relocation, and no data. */
void *memmove(void *dst, const void *src, size_t n) {
  volatile unsigned char *to = dst;
  const unsigned char *from = src;
  while (n-- != 0)
    *to++ = *from++;
  return dst;
}
void *memcpy(void *dst, const void *src, size_t n) __attribute__((alias("memmove")));
#else
#ifdef EARLY_DIRECT
extern void *fastcopy_memcpy(void *dst, const void *src, size_t n);
extern void *fastcopy_memmove(void *dst, const void *src, size_t n);
#define memcpy fastcopy_memcpy
#define memmove fastcopy_memmove
#endif
#ifdef EARLY_POINTER
static void *(*volatile memcpy_pointer)(void *dst, const void *src, size_t n) = memcpy;
static void *(*volatile memmove_pointer)(void *dst, const void *src, size_t n) = memmove;
#define memcpy memcpy_pointer
#define memmove memmove_pointer
#endif

extern int early_answer(void);

enum { RIGHT = 1, WRONG = 2, LARGEST = 40000 };

#if defined EARLY_COPIER || defined EARLY_APART
extern int early_copied(size_t size, int move);
#define OF_COPIER
#else
#define OF_COPIER static
#endif

#if defined EARLY_COPIER || (defined EARLY_DSO && !defined EARLY_APART)
static unsigned char from[LARGEST + 1], to[LARGEST + 1];

OF_COPIER int early_copied(size_t size, int move) {
  volatile size_t n = size;
  for (size_t i = 0; i < n; i++)
    from[i] = (unsigned char)(i * 7 + n + 1);
  to[n] = 0xa5;
  if ((move ? memmove(to, from, n) : memcpy(to, from, n)) != to || to[n] != 0xa5)
    return 0;
  for (size_t i = 0; i < n; i++) {
    if (to[i] != (unsigned char)(i * 7 + n + 1))
      return 0;
  }
  return 1;
}
#endif

#ifdef EARLY_DSO
typedef int answer(void);

static int answer_right(void) { return RIGHT; }
static int answer_wrong(void) { return WRONG; }

__attribute__((used)) static answer *resolve(void) {
  static const size_t larger[] = {1000, 1600, 4095, 4096, 4097, 10000, LARGEST};
  int right = 1;
  for (size_t n = 0; n < 300; n++)
    right &= early_copied(n, 0) & early_copied(n, 1);
  for (size_t i = 0; i < sizeof larger / sizeof larger[0]; i++)
    right &= early_copied(larger[i], 0) & early_copied(larger[i], 1);
  return right ? answer_right : answer_wrong;
}

__attribute__((visibility("hidden"))) int early_choice(void) __attribute__((ifunc("resolve")));

int early_answer(void) { return early_choice() == RIGHT && early_copied(200, 0) ? 0 : 1; }
#elif !defined EARLY_COPIER
int main(void) { return early_answer(); }
#endif
#endif
