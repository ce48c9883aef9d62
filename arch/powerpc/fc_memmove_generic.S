/* SPDX-License-Identifier: MIT */
/*
 * The portable C copy, fc_memmove_generic() of arch/generic, behind the convention of the slots: r3 is kept, over
 * the call in the frame.
 */
#include "asm.h"

/* clang-format off */

.hidden fc_memmove_generic

#ifdef __powerpc64__
#if FC_ELFV2
#define FRAME 48   /* the ABI's 32, one word of our own, aligned to 16 */
#define RESULT 32
#define TOC_SAVE 24
#else
#define FRAME 128  /* 48 and the callee's home for eight arguments, one word of our own */
#define RESULT 112
#endif
#define LR_SAVE 16
#else
#define FRAME 16
#define RESULT 8
#define LR_SAVE 4
#endif

MEMPCPY(generic, b .Lbody)
  .cfi_startproc
#ifdef __powerpc64__
SLOTS_LEAD_TO(generic, .Lmemmove)
.Lmemmove:
  mr r6, r3
#else
SLOTS_LEAD_TO(generic, .Lbody)
#endif
.Lbody:
  mflr r0
  STOREW r0, LR_SAVE(r1)
  STOREWU r1, -FRAME(r1)
  .cfi_def_cfa_offset FRAME
  .cfi_offset 65, LR_SAVE
  STOREW r3, RESULT(r1)
  mr r3, r6
#if FC_ELFV2
  /* the C function wants r2, which nobody set */
  std r2, TOC_SAVE(r1)
  bcl 20, 31, 0f
0:
  mflr r2
  addis r2, r2, (.TOC. - 0b)@ha
  addi r2, r2, (.TOC. - 0b)@l
#endif
  bl fc_memmove_generic
#ifdef __powerpc64__
  nop
#endif
#if FC_ELFV2
  ld r2, TOC_SAVE(r1)
#endif
  LOADW r3, RESULT(r1)
  addi r1, r1, FRAME
  .cfi_def_cfa_offset 0
  LOADW r0, LR_SAVE(r1)
  mtlr r0
  .cfi_restore 65
  blr
  .cfi_endproc
