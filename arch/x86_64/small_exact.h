/* SPDX-License-Identifier: MIT */
/*
 * The exact-width small-size strategy: 0 .. 63 bytes with no branch on the size. Best where sizes cannot be
 * predicted and there are no masked moves; plain stores, so a load that follows at once is forwarded.
 *
 * One move for each width W in 32 (two halves), 16, 8, 4, 2, 1. Let i be n without its bits below W: the move of
 * width W ends at i. Where i is 0 the size is below W, and cmovz, on the flags of the very AND that made i, sends
 * the load and the store to scratch bytes in the red zone. A move with i > 0 copies bytes that belong to the
 * copy; together they cover it. All loads come before the first store; loads and stores use different scratch, so
 * that none waits for another. The move of 16 bytes is loaded as two halves: a value of 8 bytes that the caller
 * just stored there is forwarded.
 *
 * Other threads may look at the destination, or write the source, as programs do that share an array of pointers.
 * They never see half an aligned value where n is a multiple of its size: stores of 4, 2 and 1 bytes, which could be
 * such a half, go to the scratch where n has no such bit, and then wider moves alone store those bytes.
 *
 * Baseline instructions, or their VEX forms where the instantiation defines SMALL_VEX (needs avx).
 * Copies 0 .. 2 VEC bytes, falls through above; VEC = 16 falls through from 64 on.
 */
/* clang-format off */

#ifdef SMALL_VEX
#define LOAD16 vmovups
#define STORE16 vmovups
#define LOAD8 vmovq
#define STORE8 vmovq
#define LOAD4 vmovd
#define STORE4 vmovd
#define LOAD_HALVES(offset, index, reg) vmovq offset(%rsi, index), reg; vmovhps offset + 8(%rsi, index), reg, reg
#else
#define LOAD16 movups
#define STORE16 movups
#define LOAD8 movq
#define STORE8 movq
#define LOAD4 movd
#define STORE4 movd
#define LOAD_HALVES(offset, index, reg) movq offset(%rsi, index), reg; movhps offset + 8(%rsi, index), reg
#endif

/* rcx = where the move of this width ends, or the scratch where n is less */
.macro exact_end width, scratch
  mov %edx, %ecx
  and $(64 - \width), %ecx
  cmovz \scratch, %rcx
.endm

/* the same for the load, in rcx, and the store at once */
.macro exact_ends width, store
  mov %edx, %ecx
  and $(64 - \width), %ecx
  mov %rcx, \store
  cmovz %r8, %rcx
  cmovz %r9, \store
.endm

/* rcx = where a store of this width ends, or the scratch where n has no such bit: wider moves store those bytes */
.macro exact_store_end width
  mov %edx, %ecx
  and $(64 - \width), %ecx
  test $\width, %dl
  cmovz %r9, %rcx
.endm

.macro small_exact
  cmp $64, %rdx
  jae .Labove_exact
  lea -64(%rsp), %r8
  sub %rsi, %r8 /* moves that end here load from -96 .. -64 below rsp */
  lea -24(%rsp), %r9
  sub %rdi, %r9 /* and store to -56 .. -24 */
  exact_ends 32, %r10
  LOAD16 -32(%rsi, %rcx), %xmm3
  LOAD16 -16(%rsi, %rcx), %xmm4
  exact_ends 16, %r11
  LOAD_HALVES(-16, %rcx, %xmm2)
  exact_end 8, %r8
  LOAD8 -8(%rsi, %rcx), %xmm0
  exact_end 4, %r8
  LOAD4 -4(%rsi, %rcx), %xmm1
  exact_end 2, %r8
  movzwl -2(%rsi, %rcx), %r8d
  test $1, %dl
  cmovnz %rdx, %rcx /* else a byte of the move before, which is not stored */
  movzbl -1(%rsi, %rcx), %esi
  STORE16 %xmm3, -32(%rdi, %r10)
  STORE16 %xmm4, -16(%rdi, %r10)
  STORE16 %xmm2, -16(%rdi, %r11)
  exact_end 8, %r9
  STORE8 %xmm0, -8(%rdi, %rcx)
  exact_store_end 4
  STORE4 %xmm1, -4(%rdi, %rcx)
  exact_store_end 2
  mov %r8w, -2(%rdi, %rcx)
  test $1, %dl
  cmovz %r9, %rdx
  mov %sil, -1(%rdi, %rdx)
  ret

  .p2align 4
.Labove_exact:
#if VEC >= 32
#if VEC > 32
  cmp $(2 * VEC), %rdx
#endif
  ja .Labove_small /* VEC = 32: on the flags of n - 64 */
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
