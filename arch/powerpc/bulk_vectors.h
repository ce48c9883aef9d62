/* SPDX-License-Identifier: MIT */
/*
 * The bulk loop of a copy by 16-byte vectors, for CPUs before POWER9. An instantiation sets VLOAD, VSTORE and V0..V7
 * (see vectors.h), and UNALIGNED: 1 where VLOAD does any address. Parameter read then: cacheable.
 *
 *   below 128 bytes   declined
 *   above             dst is aligned to 16 by steps, then 8 vectors a turn, the rest by words. Where src is then
 *                     aligned too, or cacheable memory is promised, vectors are moved as they are. Else each is
 *                     merged from the two aligned ones that it straddles. Unaligned and small: by words
 *
 * Outside cacheable memory a vector access that is not aligned is an interrupt, hence the merging. Only vectors wholly
 * inside the source are loaded: those that lie astride its start and end are left to the words, by 16 bytes more where
 * the steps did not get past them. A turn of the merge loop loads up to 15 bytes beyond what it stores.
 *
 * Registers: v0-v17, vs0-vs7 besides those of the word copy.
 */
#include "vectors.h"
#include "words.h"

/* clang-format off */

#define UNALIGNED_LEAST (64 * WORD) /* by words it is fewer instructions below */

#ifdef __LITTLE_ENDIAN__
#define MERGE_MASK lvsr
#define MERGE(to, low, high) vperm to, high, low, v9
#else
#define MERGE_MASK lvsl
#define MERGE(to, low, high) vperm to, low, high, v9
#endif

.macro store_merged
  stvx v10, 0, r6
  stvx v11, r6, r0
  stvx v12, r6, r7
  stvx v13, r6, r8
  stvx v14, r6, r9
  stvx v15, r6, r10
  stvx v16, r6, r11
  stvx v17, r6, r12
.endm

/* 16 bytes by words. */
.macro words_16
  LOADW r0, 0(r4)
  LOADW r7, WORD(r4)
#if WORD == 4
  LOADW r10, 8(r4)
  LOADW r11, 12(r4)
#endif
  STOREW r0, 0(r6)
  STOREW r7, WORD(r6)
#if WORD == 4
  STOREW r10, 8(r6)
  STOREW r11, 12(r6)
#endif
.endm

/* Vectors as they are, merged ones, or words? r8 = src mod 16. */
.macro weigh_alignment moved, words
  andi. r8, r4, 15
  beq \moved
  CMPLI r5, UNALIGNED_LEAST
  blt \words
#if UNALIGNED
  LIVE_FIND
  LIVE_READ(r7, cacheable)
  CMPLI r7, 0
  bne \moved
#endif
.endm

.macro bulk_forward
  CMPLI r5, 128
  blt .Lforward
  neg r0, r6
  andi. r9, r0, 15 /* steps taken */
  beq .Lforward_vectors
  mtcrf 1, r9
  subf r5, r9, r5
  align_up
#if WORD == 4
  step_up 29, 4, lwz, stw
  bf 28, .Lforward_vectors
  lwz r0, 0(r4)
  lwz r7, 4(r4)
  addi r4, r4, 8
  stw r0, 0(r6)
  stw r7, 4(r6)
  addi r6, r6, 8
#else
  step_up 28, 8, ld, std
#endif
.Lforward_vectors:
  weigh_alignment .Lforward_moved, .Lforward_turns

  /* r8 bytes of the first vector lie behind r4 */
  CMPL r9, r8
  bge .Lforward_inside
  words_16
  addi r4, r4, 16
  addi r6, r6, 16
  addi r5, r5, -16
.Lforward_inside:
  addi r0, r5, -16
  SHRI_TEST r0, r0, 7
  beq .Lforward_turns
  mtctr r0
  SHLI r0, r0, 7
  subf r5, r0, r5
  MERGE_MASK v9, 0, r4
  lvx v0, 0, r4
  offsets
  .p2align 5
.Lforward_merge:
  lvx v1, r4, r0
  lvx v2, r4, r7
  lvx v3, r4, r8
  lvx v4, r4, r9
  lvx v5, r4, r10
  lvx v6, r4, r11
  lvx v7, r4, r12
  MERGE(v10, v0, v1)
  addi r4, r4, 128
  lvx v0, 0, r4
  MERGE(v11, v1, v2)
  MERGE(v12, v2, v3)
  MERGE(v13, v3, v4)
  MERGE(v14, v4, v5)
  MERGE(v15, v5, v6)
  MERGE(v16, v6, v7)
  MERGE(v17, v7, v0)
  store_merged
  addi r6, r6, 128
  bdnz .Lforward_merge
  b .Lforward_turns

  .p2align 4
.Lforward_moved:
  SHRI_TEST r0, r5, 7
  beq .Lforward_turns
  mtctr r0
  rlwinm r5, r5, 0, 25, 31
  offsets
  .p2align 5
.Lforward_move:
  load_8_vectors
  store_8_vectors
  addi r4, r4, 128
  addi r6, r6, 128
  bdnz .Lforward_move
  CMPLI r5, 0
  beqlr
  b .Lforward_turns

  .p2align 4
.Lforward:
.endm
#define BULK_FORWARD bulk_forward

.macro bulk_backward
  CMPLI r5, 128
  blt .Lbackward_words
  andi. r9, r6, 15
  beq .Lbackward_vectors
  mtcrf 1, r9
  subf r5, r9, r5
  align_down
#if WORD == 4
  step_down 29, 4, lwz, stw
  bf 28, .Lbackward_vectors
  lwz r0, -4(r4)
  lwzu r7, -8(r4)
  stw r0, -4(r6)
  stwu r7, -8(r6)
#else
  step_down 28, 8, ld, std
#endif
.Lbackward_vectors:
  weigh_alignment .Lbackward_moved, .Lbackward_turns

  /* 16 - r8 bytes of the last vector lie beyond r4 */
  add r9, r9, r8
  CMPLI r9, 16
  bge .Lbackward_inside
  addi r4, r4, -16
  addi r6, r6, -16
  words_16
  addi r5, r5, -16
.Lbackward_inside:
  addi r0, r5, -16
  SHRI_TEST r0, r0, 7
  beq .Lbackward_turns
  mtctr r0
  SHLI r0, r0, 7
  subf r5, r0, r5
  MERGE_MASK v9, 0, r4
  lvx v8, 0, r4
  offsets
  .p2align 5
.Lbackward_merge:
  addi r4, r4, -128
  lvx v7, r4, r12
  lvx v6, r4, r11
  lvx v5, r4, r10
  lvx v4, r4, r9
  lvx v3, r4, r8
  lvx v2, r4, r7
  lvx v1, r4, r0
  MERGE(v17, v7, v8)
  lvx v8, 0, r4
  addi r6, r6, -128
  MERGE(v16, v6, v7)
  MERGE(v15, v5, v6)
  MERGE(v14, v4, v5)
  MERGE(v13, v3, v4)
  MERGE(v12, v2, v3)
  MERGE(v11, v1, v2)
  MERGE(v10, v8, v1)
  store_merged
  bdnz .Lbackward_merge
  b .Lbackward_turns

  .p2align 4
.Lbackward_moved:
  SHRI_TEST r0, r5, 7
  beq .Lbackward_turns
  mtctr r0
  rlwinm r5, r5, 0, 25, 31
  offsets
  .p2align 5
.Lbackward_move:
  addi r4, r4, -128
  addi r6, r6, -128
  load_8_vectors
  store_8_vectors
  bdnz .Lbackward_move
  CMPLI r5, 0
  beqlr
  b .Lbackward_turns

  .p2align 4
.Lbackward_words:
.endm
#define BULK_BACKWARD bulk_backward
