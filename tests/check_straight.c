/* SPDX-License-Identifier: MIT */
/* The straight loops that bench takes for a ceiling: they copy what a copy function would, and nothing else. */
#include "arch/straight.h"

#include <stdio.h>

enum { MOST = 1500, EDGE = 64, AT = 67 };

static unsigned char byte_at(size_t at) { return (unsigned char)(at * 7 + at / 256 + 1); }

int main(void) {
  static unsigned char src[MOST + 2 * EDGE + AT], dst[MOST + 2 * EDGE + AT];
  fc_copy *loops[FC_STRAIGHT_MOST];
  const unsigned count = fc_straight_loops(loops);
  for (size_t i = 0; i < sizeof src; i++)
    src[i] = byte_at(i);
  for (unsigned loop = 0; loop < count; loop++) {
    for (size_t n = FC_STRAIGHT_LEAST; n <= MOST; n++) {
      const size_t from = EDGE + n * 5 % AT, to = EDGE + n * 3 % AT;
      for (size_t i = 0; i < sizeof dst; i++)
        dst[i] = 0;
      int wrong = loops[loop](dst + to, src + from, n) != dst + to;
      for (size_t i = 0; i < sizeof dst; i++)
        wrong |= dst[i] != (i < to || i >= to + n ? 0 : byte_at(i - to + from));
      if (wrong) {
        printf("FAILED loop %u, %zu bytes\n", loop, n);
        return 1;
      }
    }
  }
  printf("%u loops\n", count);
  return count == 0;
}
