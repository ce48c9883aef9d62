/* SPDX-License-Identifier: MIT */
/*
 * The small-size strategy of word copies: two, four or eight words, the halves overlapping, all loaded before the
 * first store, found by branches; the smallest first. Addresses need no alignment. Copies 0 .. 8 words and returns,
 * falls through above. .Lsmall is the way in for what a loop has left over.
 */
/* clang-format off */

.macro small_words
.Lsmall:
  CMPLI r5, 2 * WORD
  bgt .Labove_2_words
  CMPLI r5, WORD
  blt .Lbelow_word
  /* 1 to 2 words */
  LOADW r0, 0(r4)
  add r4, r4, r5
  LOADW r7, -WORD(r4)
  add r5, r6, r5
  STOREW r0, 0(r6)
  STOREW r7, -WORD(r5)
  blr

  .p2align 4
.Lbelow_word:
#if WORD == 8
  cmplwi r5, 4
  blt .Lto_3_bytes
  /* 4 to 7 bytes */
  lwz r0, 0(r4)
  add r4, r4, r5
  lwz r7, -4(r4)
  add r5, r6, r5
  stw r0, 0(r6)
  stw r7, -4(r5)
  blr

  .p2align 4
.Lto_3_bytes:
#endif
  cmplwi r5, 2
  blt .Lto_1_byte
  /* 2 to 3 bytes: not one by one, since 2 may be a value that another thread looks at */
  lhz r0, 0(r4)
  add r4, r4, r5
  lhz r7, -2(r4)
  add r5, r6, r5
  sth r0, 0(r6)
  sth r7, -2(r5)
  blr

  .p2align 4
.Lto_1_byte:
  cmplwi r5, 0
  beqlr
  lbz r0, 0(r4)
  stb r0, 0(r6)
  blr

  .p2align 4
.Labove_2_words:
  CMPLI r5, 8 * WORD
  bgt .Labove_small
  LOADW r0, 0(r4)
  LOADW r7, WORD(r4)
  add r11, r4, r5
  LOADW r8, -2 * WORD(r11)
  LOADW r9, -WORD(r11)
  CMPLI r5, 4 * WORD
  add r5, r6, r5
  bgt .Lto_8_words
  /* above 2 words, to 4 */
  STOREW r0, 0(r6)
  STOREW r7, WORD(r6)
  STOREW r8, -2 * WORD(r5)
  STOREW r9, -WORD(r5)
  blr

  .p2align 4
.Lto_8_words:
  /* above 4 words, to 8 */
  LOADW r10, 2 * WORD(r4)
  LOADW r12, 3 * WORD(r4)
  LOADW r4, -4 * WORD(r11)
  LOADW r11, -3 * WORD(r11)
  STOREW r0, 0(r6)
  STOREW r7, WORD(r6)
  STOREW r10, 2 * WORD(r6)
  STOREW r12, 3 * WORD(r6)
  STOREW r4, -4 * WORD(r5)
  STOREW r11, -3 * WORD(r5)
  STOREW r8, -2 * WORD(r5)
  STOREW r9, -WORD(r5)
  blr

  .p2align 4
.Labove_small:
.endm
#define SMALL small_words
