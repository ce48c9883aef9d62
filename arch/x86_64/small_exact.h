/* SPDX-License-Identifier: MIT */
/*
 * The exact-width small-size strategy: 0 .. 63 bytes with no branch on the size but n = 0. Best where sizes
 * cannot be predicted and there are no masked moves; plain stores, so a load that follows at once is forwarded.
 *
 * One move for each width W in 32 (two halves), 16, 8, 4, 2, 1. Let i be n without its bits below W: the move of
 * width W ends at i. Where i is 0 the size is below W, and cmovz, on the flags of the very AND that made i, sends
 * the load and the store to scratch bytes in the red zone. A move with i > 0 copies bytes that belong to the
 * copy, once or twice; together they cover it. All loads come before the first store; loads and stores use
 * different scratch, so that none waits for another. Moves of 16 bytes are loaded as two halves: a value of 8
 * bytes that the caller just stored there is forwarded.
 *
 * Other threads may look at the destination, or write the source, as programs do that share an array of pointers.
 * They never see half an aligned value where n is a multiple of its size: stores go from wide to narrow,
 * so that a second store of a byte repeats it, and those of 4, 2 and 1 bytes go to scratch where n is a multiple of 8, 4, 2.
 *
 * Baseline instructions, or their VEX forms where the instantiation defines SMALL_VEX (needs avx).
 * Copies 0 .. 2 VEC bytes, falls through above; VEC = 16 falls through from 64 on.
 */
/* clang-format off */

#ifdef SMALL_VEX
#define STORE16 vmovups
#define LOAD4 vmovd
#define STORE4 vmovd
#define LOAD_HALVES(offset, index, reg) vmovq offset(%rsi, index), reg; vmovhps offset + 8(%rsi, index), reg, reg
#else
#define STORE16 movups
#define LOAD4 movd
#define STORE4 movd
#define LOAD_HALVES(offset, index, reg) movq offset(%rsi, index), reg; movhps offset + 8(%rsi, index), reg
#endif

/* index = where the move of this width ends, or the scratch where that is 0 */
.macro exact_end width, index32, index64, scratch
  mov %edx, \index32
  and $(64 - \width), \index32
  cmovz \scratch, \index64
.endm

.macro small_exact
  cmp $64, %rdx
  jae .Labove_exact
  test %edx, %edx
  jz .L0
  lea -64(%rsp), %r8
  sub %rsi, %r8 /* moves that end here load from -96 .. -64 below rsp */
  lea -24(%rsp), %r9
  sub %rdi, %r9 /* and store to -56 .. -24 */
  exact_end 32, %ecx, %rcx, %r8
  LOAD_HALVES(-32, %rcx, %xmm3)
  LOAD_HALVES(-16, %rcx, %xmm4)
  exact_end 16, %ecx, %rcx, %r8
  LOAD_HALVES(-16, %rcx, %xmm2)
  exact_end 4, %ecx, %rcx, %r8
  LOAD4 -4(%rsi, %rcx), %xmm1
  exact_end 2, %ecx, %rcx, %r8
  movzwl -2(%rsi, %rcx), %r10d
  exact_end 8, %ecx, %rcx, %r8
  mov -8(%rsi, %rcx), %r8
  movzbl -1(%rsi, %rdx), %esi
  exact_end 32, %ecx, %rcx, %r9
  STORE16 %xmm3, -32(%rdi, %rcx)
  STORE16 %xmm4, -16(%rdi, %rcx)
  exact_end 16, %ecx, %rcx, %r9
  STORE16 %xmm2, -16(%rdi, %rcx)
  exact_end 8, %ecx, %rcx, %r9
  mov %r8, -8(%rdi, %rcx)
  exact_end 4, %ecx, %rcx, %r9
  test $7, %dl
  cmovz %r9, %rcx
  STORE4 %xmm1, -4(%rdi, %rcx)
  exact_end 2, %ecx, %rcx, %r9
  test $3, %dl
  cmovz %r9, %rcx
  mov %r10w, -2(%rdi, %rcx)
  test $1, %dl
  cmovz %r9, %rdx
  mov %sil, -1(%rdi, %rdx)
.L0:
  ret

  .p2align 4
.Labove_exact:
#if VEC > 32
  cmp $(2 * VEC), %rdx
  ja .Labove_small
  LOADU (%rsi), V0
  LOADU -VEC(%rsi, %rdx), V1
  STOREU V0, (%rdi)
  STOREU V1, -VEC(%rdi, %rdx)
  RETURN

  .p2align 4
.Labove_small:
#endif
.endm
#define SMALL small_exact
