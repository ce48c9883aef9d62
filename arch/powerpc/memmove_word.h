/* SPDX-License-Identifier: MIT */
/*
 * The body of a word copy, right for any overlap: r3 result (kept), r4 src, r5 n, r6 dst.
 *
 * Loads of a word need no alignment here, stores are aligned outside the small sizes: every CPU but some
 * little-endian ones older than POWER8 does such loads in hardware, and the kernel does them for the rest.
 *
 *   0 .. 8 words   SMALL
 *   above          dst inside (src, src + n): backward loop. Else forward loop. Single bytes to powers of two until
 *                  dst is aligned, 8 words a turn, what is left by SMALL. Every group is loaded before it is stored,
 *                  and no group is behind one that was stored, so that any distance is safe
 *
 * An instantiation may set BULK_FORWARD and BULK_BACKWARD, macros for another loop above 8 words: they find r0 = dst -
 * src, and the ends in r4 and r6 when backward. They fall through with everything unchanged to decline, or go on to
 * .Lforward_turns and .Lbackward_turns with the rest; dst is then aligned to a word.
 *
 * Registers: r0, r4-r12, ctr, cr0, cr7 are overwritten.
 */
/* clang-format off */

#include "words.h"
#include "small_words.h"

  SMALL

  /* above 8 words: which way? */
  subf. r0, r4, r6
  beqlr
  CMPL r0, r5
  blt .Lbackward
.Lapart:
#ifdef BULK_FORWARD
  BULK_FORWARD
#endif
  neg r0, r6
  andi. r0, r0, WORD - 1
  beq .Lforward_turns
  mtcrf 1, r0
  subf r5, r0, r5
  align_up
.Lforward_turns:
  SHRI_TEST r0, r5, WORD_SHIFT + 3
  beq .Lforward_rest
  mtctr r0
  .p2align 5
.Lforward_turn:
  load4 0
  store4 0
  load4 4 * WORD
  addi r4, r4, 8 * WORD
  store4 4 * WORD
  addi r6, r6, 8 * WORD
  bdnz .Lforward_turn
.Lforward_rest:
  andi. r5, r5, 8 * WORD - 1
  beqlr
  b .Lsmall

#if WORD == 4
  .p2align 5
.Lfrom_slot:
  /* above 8 words, from the entries: dst = src is asked for behind the branch, which pays for the entry's addition */
  subf. r0, r4, r6
  cmplw cr1, r0, r5
  bge cr1, .Lapart
  beqlr
#else
  .p2align 4
#endif
.Lbackward:
  add r4, r4, r5
  add r6, r6, r5
#ifdef BULK_BACKWARD
  BULK_BACKWARD
#endif
  andi. r0, r6, WORD - 1
  beq .Lbackward_turns
  mtcrf 1, r0
  subf r5, r0, r5
  align_down
.Lbackward_turns:
  SHRI_TEST r0, r5, WORD_SHIFT + 3
  beq .Lbackward_rest
  mtctr r0
  .p2align 5
.Lbackward_turn:
  load4 -4 * WORD
  store4 -4 * WORD
  load4 -8 * WORD
  addi r4, r4, -8 * WORD
  store4 -8 * WORD
  addi r6, r6, -8 * WORD
  bdnz .Lbackward_turn
.Lbackward_rest:
  andi. r5, r5, 8 * WORD - 1
  beqlr
  subf r4, r5, r4
  subf r6, r5, r6
  b .Lsmall
