/* SPDX-License-Identifier: MIT */
/*
 * The bulk loop of a cacheline copy: dcbt of the source some lines ahead, dcbz of each whole destination line instead
 * of reading it from memory. LINE is what dcbz clears: 32, 64 or 128. Parameters read: dcbz_min, dcbt_ahead,
 * touch_buffers.
 *
 *   below dcbz_min   declined, as where src and dst are too near to each other (see below)
 *   above            steps and words until dst is on a line, whole lines, the rest by words
 *
 * A line that the registers hold (8 words, or 8 vectors where VLOAD is set) is loaded whole before its dcbz: safe at
 * any distance, and a fault on the source leaves the destination as it was. Of a longer line the first 7 words and the
 * last are loaded before (a line lies in two pages at most, so a fault shows there too), the others after; hence the
 * regions must be a line apart.
 *
 * Only lines that hold bytes of the source are touched by dcbt: the first ones before the loop, but never more than
 * touch_buffers in a row; then one a turn; the last dcbt_ahead turns run without. Where that is more than AHEAD_MOST
 * or than there are lines, it counts as the most there can be. The turn's own line is asked for before the dcbt, which
 * may throw it away else, where a CPU has one buffer that keeps its line until then.
 *
 * cr5-cr7 carry two numbers over the loop, which needs every register: lines ahead, and what is left after the lines.
 * Registers: vectors v0-v7 or vs0-vs7 besides those of the word copy, cr5, cr6.
 */
#include "words.h"
#ifdef VLOAD
#include "vectors.h"
#if LINE != 128
#error "8 vectors are a line of 128 bytes"
#endif
#endif

/* clang-format off */

#if LINE == 32
#define LINE_SHIFT 5
#elif LINE == 64
#define LINE_SHIFT 6
#elif LINE == 128
#define LINE_SHIFT 7
#else
#error "LINE must be 32, 64 or 128"
#endif

#define CARRIED 12 /* bits in cr5-cr7 */
#define AHEAD_MOST ((1 << (CARRIED - LINE_SHIFT)) - 1)
#define DCBZ_LEAST 512 /* no dcbz_min is lower: see params.def */

/* 4 more words, and of a line that is longer than 8 its last word in place of the eighth. */
.macro load4_more at, last
  LOADW r10, \at(r4)
  LOADW r11, \at + WORD(r4)
  LOADW r12, \at + 2 * WORD(r4)
  LOADW r5, \last(r4)
.endm
.macro store4_more at, last
  STOREW r10, \at(r6)
  STOREW r11, \at + WORD(r6)
  STOREW r12, \at + 2 * WORD(r6)
  STOREW r5, \last(r6)
.endm

/* The line at r4 to the line at r6. `touch` comes behind the first load. */
#ifdef VLOAD
#define PREPARE_LINES offsets
.macro copy_line touch:vararg
  VLOAD V0, 0, r4
  \touch
  load_7_vectors
  dcbz 0, r6
  store_8_vectors
.endm
#else
#define PREPARE_LINES
.macro copy_line touch:vararg
  LOADW r0, 0(r4)
  \touch
  load3 0
#if LINE > 4 * WORD
  load4_more 4 * WORD, LINE - WORD
#endif
  dcbz 0, r6
  store4 0
#if LINE > 4 * WORD
  store4_more 4 * WORD, LINE - WORD
#endif
  .set at, 7 * WORD
  .rept (LINE - 8 * WORD) / (8 * WORD)
  load4 at
  load4_more at + 4 * WORD, at + 7 * WORD
  store4 at
  store4_more at + 4 * WORD, at + 7 * WORD
  .set at, at + 8 * WORD
  .endr
.endm
#endif

/*
 * r5: what is left, r4 and r6: src and dst, dst on a line, r7: dcbt_ahead, r8: touch_buffers. Copies every whole line,
 * of which there is at least one, in the direction of `sign` (1 or -1); leaves r5, r4 and r6 for the rest.
 */
.macro copy_lines sign
  SHRI r9, r5, LINE_SHIFT
  addi r10, r9, -1
  CMPL r7, r10
  ble 1f
  mr r7, r10
1:
  CMPLI r7, AHEAD_MOST
  ble 2f
  li r7, AHEAD_MOST
2:
  CMPLI r7, 0
  rlwinm r5, r5, 0, 32 - LINE_SHIFT, 31
  rlwimi r5, r7, LINE_SHIFT, 32 - CARRIED, 31 - LINE_SHIFT
  mtcrf 7, r5
  mtctr r9
  beq 7f
  subf r9, r7, r9
  CMPL r7, r8
  ble 3f
  mr r7, r8
3:
  /* the first turn touches one line itself; the second line starts LINE on, or 2 LINE before the end */
  addi r7, r7, -1
  CMPLI r7, 0
  beq 5f
  mtctr r7
  li r10, (3 * \sign - 1) / 2 * LINE
4:
  dcbt r4, r10
  addi r10, r10, \sign * LINE
  bdnz 4b
5:
  mtctr r9
  PREPARE_LINES
  .p2align 5
6:
  mfcr r5
  rlwinm r5, r5, 0, 32 - CARRIED, 31 - LINE_SHIFT
  .if \sign > 0
  copy_line dcbt r4, r5
  addi r4, r4, LINE
  addi r6, r6, LINE
  .else
  addi r4, r4, -LINE
  subf r5, r5, r4
  addi r6, r6, -LINE
  copy_line dcbt 0, r5
  .endif
  bdnz 6b
  mfcr r5
  rlwinm r5, r5, 32 - LINE_SHIFT, 32 - (CARRIED - LINE_SHIFT), 31
  mtctr r5
7:
  PREPARE_LINES
  .p2align 5
8:
  .if \sign > 0
  copy_line
  addi r4, r4, LINE
  addi r6, r6, LINE
  .else
  addi r4, r4, -LINE
  addi r6, r6, -LINE
  copy_line
  .endif
  bdnz 8b
  mfcr r5
  rlwinm r5, r5, 0, 32 - LINE_SHIFT, 31
.endm

/* Branches to `declined` unless n is at least dcbz_min; else loads what copy_lines wants. r0 = dst - src. */
.macro weigh_lines declined
  CMPLI r5, DCBZ_LEAST
  blt \declined
#if LINE > 8 * WORD && !defined VLOAD
  .ifc \declined, .Lforward
  neg r0, r0
  .endif
  CMPLI r0, LINE
  blt \declined
#endif
  LIVE_FIND
  LIVE_READ(r8, dcbz_min)
  CMPL r5, r8
  blt \declined
  LIVE_READ(r7, dcbt_ahead)
  LIVE_READ(r8, touch_buffers)
.endm

.macro bulk_forward
  weigh_lines .Lforward
  neg r0, r6
  andi. r0, r0, LINE - 1
  beq .Lforward_lines
  mtcrf 1, r0
  subf r5, r0, r5
  SHRI r9, r0, WORD_SHIFT
  align_up
  CMPLI r9, 0
  beq .Lforward_lines
  mtctr r9
.Lforward_to_line:
  LOADW r0, 0(r4)
  addi r4, r4, WORD
  STOREW r0, 0(r6)
  addi r6, r6, WORD
  bdnz .Lforward_to_line
.Lforward_lines:
  copy_lines 1
  b .Lforward_turns

  .p2align 4
.Lforward:
.endm
#define BULK_FORWARD bulk_forward

.macro bulk_backward
  weigh_lines .Lbackward_words
  andi. r0, r6, LINE - 1
  beq .Lbackward_lines
  mtcrf 1, r0
  subf r5, r0, r5
  SHRI r9, r0, WORD_SHIFT
  align_down
  CMPLI r9, 0
  beq .Lbackward_lines
  mtctr r9
.Lbackward_to_line:
  LOADWU r0, -WORD(r4)
  STOREWU r0, -WORD(r6)
  bdnz .Lbackward_to_line
.Lbackward_lines:
  copy_lines -1
  b .Lbackward_turns

  .p2align 4
.Lbackward_words:
.endm
#define BULK_BACKWARD bulk_backward
