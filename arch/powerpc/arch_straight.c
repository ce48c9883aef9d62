/* SPDX-License-Identifier: MIT */
#include "arch/straight.h"

/* Vectors of the compiler: what the ABI's baseline has of them, else words. */
typedef uint64_t word;
typedef uint64_t vector __attribute__((vector_size(16)));
typedef word unaligned_word __attribute__((aligned(1), may_alias));
typedef vector unaligned_vector __attribute__((aligned(1), may_alias));

#define LOAD_8(from) (*(const unaligned_word *)(from))
#define STORE_8(to, value) (*(unaligned_word *)(to) = (value))
#define LOAD_16(from) (*(const unaligned_vector *)(from))
#define STORE_16(to, value) (*(unaligned_vector *)(to) = (value))

FC_STRAIGHT(unaligned_8, , word, LOAD_8, STORE_8, STORE_8, 0, )
FC_STRAIGHT(aligned_8, , word, LOAD_8, STORE_8, STORE_8, 1, )
FC_STRAIGHT(unaligned_16, , vector, LOAD_16, STORE_16, STORE_16, 0, )
FC_STRAIGHT(aligned_16, , vector, LOAD_16, STORE_16, STORE_16, 1, )

unsigned fc_straight_loops(fc_copy *loops[FC_STRAIGHT_MOST]) {
  loops[0] = unaligned_8;
  loops[1] = aligned_8;
  loops[2] = unaligned_16;
  loops[3] = aligned_16;
  return 4;
}
