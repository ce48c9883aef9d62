/* SPDX-License-Identifier: MIT */
/*
 * Copies that only load and store: what a copy function of the CPU could come up to, in arch/<architecture>/arch_straight.c. Part
 * of fastcopy-tune, not of the library. They ask nothing about size, overlap or the end, and are right for
 * FC_STRAIGHT_LEAST bytes and more that do not overlap.
 */
#ifndef FC_STRAIGHT_H
#define FC_STRAIGHT_H

#include "arch/variant.h"

#define FC_STRAIGHT_LEAST 256
#define FC_STRAIGHT_MOST 12

/* The loops that this CPU can run; returns how many. */
unsigned fc_straight_loops(fc_copy *loops[FC_STRAIGHT_MOST]);

/*
 * A loop of four vectors a turn, the last four at the end of the regions. load(from), storeu(to, vector) at any address;
 * store(to, vector) in the loop, at a multiple of the vector's size if `aligned`. The empty asm keeps compilers from making it a
 * call of memcpy.
 */
#define FC_STRAIGHT(name, attributes, vector, load, storeu, store, aligned, end)                         \
  attributes static void *name(void *dst, const void *src, size_t n) {                                   \
    unsigned char *to = dst, *const last = to + n - 4 * sizeof(vector);                                  \
    const unsigned char *from = src;                                                                     \
    if (aligned) {                                                                                       \
      storeu(to, load(from));                                                                            \
      const size_t step = sizeof(vector) - (uintptr_t)to % sizeof(vector);                               \
      to += step;                                                                                        \
      from += step;                                                                                      \
    }                                                                                                    \
    for (; to < last; to += 4 * sizeof(vector), from += 4 * sizeof(vector)) {                            \
      const vector a = load(from), b = load(from + sizeof(vector)), c = load(from + 2 * sizeof(vector)), \
                   d = load(from + 3 * sizeof(vector));                                                  \
      store(to, a);                                                                                      \
      store(to + sizeof(vector), b);                                                                     \
      store(to + 2 * sizeof(vector), c);                                                                 \
      store(to + 3 * sizeof(vector), d);                                                                 \
      __asm__("" : "+r"(from));                                                                          \
    }                                                                                                    \
    from = (const unsigned char *)src + n - 4 * sizeof(vector);                                          \
    const vector a = load(from), b = load(from + sizeof(vector)), c = load(from + 2 * sizeof(vector)),   \
                 d = load(from + 3 * sizeof(vector));                                                    \
    storeu(last, a);                                                                                     \
    storeu(last + sizeof(vector), b);                                                                    \
    storeu(last + 2 * sizeof(vector), c);                                                                \
    storeu(last + 3 * sizeof(vector), d);                                                                \
    end;                                                                                                 \
    return dst;                                                                                          \
  }

#endif
