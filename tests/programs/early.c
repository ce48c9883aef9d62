/* SPDX-License-Identifier: MIT */
/*
 * A library whose own IFUNC is resolved while the process is half-built, by a resolver that copies: as a table of CPU
 * features is copied by value. EARLY_DSO: the library; else the program, which asks it what became of the copies.
 *
 * Exit status of the program 0: every copy was right.
 */
#include <string.h>

extern int early_answer(void);

#ifdef EARLY_DSO
enum { RIGHT = 1, WRONG = 2, LARGEST = 40000 };

typedef int answer(void);

static int answer_right(void) { return RIGHT; }
static int answer_wrong(void) { return WRONG; }

static unsigned char from[LARGEST + 1], to[LARGEST + 1];

static int copied(volatile size_t n, int move) {
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

__attribute__((used)) static answer *resolve(void) {
  static const size_t larger[] = {1000, 1600, 4095, 4096, 4097, 10000, LARGEST};
  int right = 1;
  for (size_t n = 0; n < 300; n++)
    right &= copied(n, 0) & copied(n, 1);
  for (size_t i = 0; i < sizeof larger / sizeof larger[0]; i++)
    right &= copied(larger[i], 0) & copied(larger[i], 1);
  return right ? answer_right : answer_wrong;
}

__attribute__((visibility("hidden"))) int early_choice(void) __attribute__((ifunc("resolve")));

int early_answer(void) { return early_choice() == RIGHT && copied(200, 0) ? 0 : 1; }
#else
int main(void) { return early_answer(); }
#endif
