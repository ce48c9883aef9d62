/* SPDX-License-Identifier: MIT */
/*
 * The masked small-size strategy: one masked load and one masked store for 0 .. VEC bytes, no branch on the
 * size; then two overlapping vectors. Best where sizes cannot be predicted; a masked store does not forward
 * to a load that follows at once. Bytes outside the mask are neither read nor written, and cannot fault.
 * Needs avx512bw, avx512vl and bmi2. The instantiation names KMOV (kmovd or kmovq) and MASK (ecx or rcx).
 * Copies 0 .. 2 VEC bytes, falls through above.
 */
/* clang-format off */

.macro small_masked
  cmp $VEC, %rdx
  ja .Labove_vec
  mov $-1, %rcx
  bzhi %rdx, %rcx, %rcx
  KMOV MASK, %k1
  vmovdqu8 (%rsi), V0{%k1}{z}
  vmovdqu8 V0, (%rdi){%k1}
  ret

  .p2align 4
.Labove_vec:
  cmp $(2 * VEC), %rdx
  ja .Labove_small
  LOADU (%rsi), V0
  LOADU -VEC(%rsi, %rdx), V1
  STOREU V0, (%rdi)
  STOREU V1, -VEC(%rdi, %rdx)
  ret

  .p2align 4
.Labove_small:
.endm
#define SMALL small_masked
