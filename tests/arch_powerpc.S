/* SPDX-License-Identifier: MIT */
/*
 * void arch_powerpc_call(struct arch_powerpc_frame *frame): one call with known values in every register that it has
 * to keep, and harmful ones in the others. The frame holds what the registers are before, and what was found after.
 */
#include "asm.h"

/* clang-format off */

/* struct arch_powerpc_frame, in words up to KEPT */
.set TARGET, 0
.set TOC, 1 * WORD
.set R3, 2 * WORD
.set R4, 3 * WORD
.set R5, 4 * WORD
.set R6, 5 * WORD
.set AFTER_R3, 6 * WORD
.set CR, 7 * WORD
.set AFTER_CR, 8 * WORD
.set VRSAVE, 9 * WORD
.set AFTER_VRSAVE, 10 * WORD
.set HAVE_FPU, 11 * WORD
.set HAVE_ALTIVEC, 12 * WORD
.set KEPT, 16 * WORD
.set AFTER_KEPT, KEPT + 18 * WORD
.set FLOATS, AFTER_KEPT + 18 * WORD
.set AFTER_FLOATS, FLOATS + 18 * 8
.set VECTORS, AFTER_FLOATS + 18 * 8
.set AFTER_VECTORS, VECTORS + 12 * 16

/* our own stack frame */
.set SAVED_KEPT, 128
.set SAVED_FLOATS, SAVED_KEPT + 18 * WORD
.set SAVED_VECTORS, 416
.set SAVED_CR, SAVED_VECTORS + 12 * 16
.set SAVED_VRSAVE, SAVED_CR + WORD
.set SAVED_TOC, SAVED_VRSAVE + WORD
.set SAVED_FRAME, SAVED_TOC + WORD
.set STACK, 672
#ifdef __powerpc64__
.set LR_SAVE, 16
#else
.set LR_SAVE, 4
#endif

.macro each_kept instruction, offset, base
  .irp n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  \instruction \n, \offset + (\n - 14) * WORD(\base)
  .endr
.endm
.macro each_float instruction, offset, base
  .irp n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  \instruction \n, \offset + (\n - 14) * 8(\base)
  .endr
.endm
/* overwrites r10 */
.macro each_vector instruction, offset, base
  .irp n, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  li r10, \offset + (\n - 20) * 16
  \instruction \n, \base, r10
  .endr
.endm

  MACHINE(power7)
ENTRY(arch_powerpc_call)
  FIND_TOC(arch_powerpc_call)
  mflr r0
  STOREW r0, LR_SAVE(r1)
  STOREWU r1, -STACK(r1)
  .cfi_def_cfa_offset STACK
  .cfi_offset 65, LR_SAVE
  mfcr r0
  STOREW r0, SAVED_CR(r1)
  STOREW r2, SAVED_TOC(r1)
  STOREW r3, SAVED_FRAME(r1)
  each_kept STOREW, SAVED_KEPT, r1
  LOADW r0, HAVE_FPU(r3)
  CMPLI r0, 0
  beq 1f
  each_float stfd, SAVED_FLOATS, r1
  each_float lfd, FLOATS, r3
1:
  LOADW r0, HAVE_ALTIVEC(r3)
  CMPLI r0, 0
  beq 2f
  mfspr r0, 256
  STOREW r0, SAVED_VRSAVE(r1)
  each_vector stvx, SAVED_VECTORS, r1
  each_vector lvx, VECTORS, r3
  LOADW r0, VRSAVE(r3)
  mtspr 256, r0
2:
  each_kept LOADW, KEPT, r3
  LOADW r0, CR(r3)
  mtcrf 0xff, r0
  LOADW r12, TARGET(r3)
  mtctr r12
#ifdef __powerpc64__
  LOADW r2, TOC(r3)
#endif
  LOADW r4, R4(r3)
  LOADW r5, R5(r3)
  LOADW r6, R6(r3)
  mr r0, %r14
  mr r7, %r15
  mr r8, %r16
  mr r9, %r17
  mr r10, %r18
  mr r11, %r19
  LOADW r3, R3(r3)
  bctrl

  LOADW r11, SAVED_FRAME(r1)
  STOREW r3, AFTER_R3(r11)
  mfcr r0
  STOREW r0, AFTER_CR(r11)
  each_kept STOREW, AFTER_KEPT, r11
  each_kept LOADW, SAVED_KEPT, r1
#ifdef __powerpc64__
  LOADW r2, SAVED_TOC(r1)
#endif
  LOADW r0, HAVE_FPU(r11)
  CMPLI r0, 0
  beq 3f
  each_float stfd, AFTER_FLOATS, r11
  each_float lfd, SAVED_FLOATS, r1
3:
  LOADW r0, HAVE_ALTIVEC(r11)
  CMPLI r0, 0
  beq 4f
  mfspr r0, 256
  STOREW r0, AFTER_VRSAVE(r11)
  each_vector stvx, AFTER_VECTORS, r11
  each_vector lvx, SAVED_VECTORS, r1
  LOADW r0, SAVED_VRSAVE(r1)
  mtspr 256, r0
4:
  LOADW r0, SAVED_CR(r1)
  mtcrf 0xff, r0
  addi r1, r1, STACK
  .cfi_def_cfa_offset 0
  LOADW r0, LR_SAVE(r1)
  mtlr r0
  blr
END(arch_powerpc_call)

/* Bodies that count their calls: code, not functions, with no r2 on ELFv2. */
#if FC_ELFV2
#define SPY_COUNTS FIND_PC(r11); addis r11, r11, (arch_spy_calls - 0b)@ha; addi r11, r11, (arch_spy_calls - 0b)@l
#else
#define SPY_COUNTS ADDRESS_OF(r11, arch_spy_calls)
#endif
.macro spy_call which
  SPY_COUNTS
  LOADW r12, \which * WORD(r11)
  addi r12, r12, 1
  STOREW r12, \which * WORD(r11)
.endm
  .hidden arch_spy_calls, fc_body_word, fc_mempcpy_word
.macro spy which
  .p2align 5
  .cfi_startproc
#ifdef __powerpc64__
  b .Lspy_mempcpy_\which
  .org . + MEMPCPY_BEFORE - 4
#endif
.Lspy_\which:
  spy_call \which
  b fc_body_word
#ifdef __powerpc64__
.Lspy_mempcpy_\which:
  spy_call \which
  b fc_mempcpy_word
#endif
  .cfi_endproc
.endm
  spy 0
  spy 1

/* void *arch_spy(unsigned which) */
ENTRY(arch_spy)
  FIND_TOC(arch_spy)
  CMPLI r3, 0
  bne 1f
  ADDRESS_OF(r3, .Lspy_0)
  blr
1:
  ADDRESS_OF(r3, .Lspy_1)
  blr
END(arch_spy)
