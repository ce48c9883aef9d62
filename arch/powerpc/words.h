/* SPDX-License-Identifier: MIT */
/* What the word copies and their bulk loops share. */
#ifndef FC_POWERPC_WORDS_H
#define FC_POWERPC_WORDS_H

/* clang-format off */

#if WORD == 8
#define SHRI_TEST srdi.
#else
#define SHRI_TEST srwi.
#endif

/*
 * Parameters are read by large copies only, and finding them costs as much as a small copy: so the bulk loop does it.
 * LIVE_FIND, which overwrites r0, then LIVE_READ(reg, name) while r12 is kept.
 */
#if FC_ELFV1
#define LIVE_FIND
#define LIVE_READ(reg, name)                                                                                           \
  addis reg, r2, fc_live + LIVE_##name@toc@ha;                                                                         \
  ld reg, fc_live + LIVE_##name@toc@l(reg)
#else
#define LIVE_FIND                                                                                                      \
  FIND_PC(r12);                                                                                                        \
  addis r12, r12, (fc_live - 0b)@ha;                                                                                   \
  addi r12, r12, (fc_live - 0b)@l
#define LIVE_READ(reg, name) LOADW reg, LIVE_##name(r12)
#endif

/* 4 words at the distance `at`. */
.macro load4 at
  LOADW r0, \at(r4)
  load3 \at
.endm
.macro load3 at /* but the first */
  LOADW r7, \at + WORD(r4)
  LOADW r8, \at + 2 * WORD(r4)
  LOADW r9, \at + 3 * WORD(r4)
.endm
.macro store4 at
  STOREW r0, \at(r6)
  STOREW r7, \at + WORD(r6)
  STOREW r8, \at + 2 * WORD(r6)
  STOREW r9, \at + 3 * WORD(r6)
.endm

/* One step towards alignment, if the bit of cr7 that stands for its size is set: up from r4 and r6, or down. */
.macro step_up bit, size, load, store
  bf \bit, 0f
  \load r0, 0(r4)
  addi r4, r4, \size
  \store r0, 0(r6)
  addi r6, r6, \size
0:
.endm
.macro step_down bit, size, load, store
  bf \bit, 0f
  \load\()u r0, -\size(r4)
  \store\()u r0, -\size(r6)
0:
.endm
/* cr7 holds how many bytes there are to the next word. */
.macro align_up
  step_up 31, 1, lbz, stb
  step_up 30, 2, lhz, sth
#if WORD == 8
  step_up 29, 4, lwz, stw
#endif
.endm
.macro align_down
  step_down 31, 1, lbz, stb
  step_down 30, 2, lhz, sth
#if WORD == 8
  step_down 29, 4, lwz, stw
#endif
.endm

#endif

