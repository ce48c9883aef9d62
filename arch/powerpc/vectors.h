/* SPDX-License-Identifier: MIT */
/*
 * 8 vectors of 16 bytes, V0..V7, from r4 and to r6. VLOAD and VSTORE move one between a register and the address
 * RA + RB.
 */
#ifndef FC_POWERPC_VECTORS_H
#define FC_POWERPC_VECTORS_H

/* clang-format off */

/* Distances of vectors 1 to 7, kept over a loop. */
.macro offsets
  li r0, 16
  li r7, 32
  li r8, 48
  li r9, 64
  li r10, 80
  li r11, 96
  li r12, 112
.endm

.macro load_8_vectors
  VLOAD V0, 0, r4
  load_7_vectors
.endm
.macro load_7_vectors /* but the first */
  VLOAD V1, r4, r0
  VLOAD V2, r4, r7
  VLOAD V3, r4, r8
  VLOAD V4, r4, r9
  VLOAD V5, r4, r10
  VLOAD V6, r4, r11
  VLOAD V7, r4, r12
.endm
.macro store_8_vectors
  VSTORE V0, 0, r6
  VSTORE V1, r6, r0
  VSTORE V2, r6, r7
  VSTORE V3, r6, r8
  VSTORE V4, r6, r9
  VSTORE V5, r6, r10
  VSTORE V6, r6, r11
  VSTORE V7, r6, r12
.endm

#endif
