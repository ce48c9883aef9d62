/* SPDX-License-Identifier: MIT */
/*
 * The classic small-size strategy: two overlapping moves of the largest power of two that fits, found by
 * branches. Best where the predictor knows the size. Copies 0 .. 2 VEC bytes, falls through above.
 * For VEC = 32 and 64 the instantiation names the narrower registers: X0, X1 (16 bytes), Y0, Y1 (32 bytes)
 * and their moves LOADX, STOREX, LOADY, STOREY.
 */
/* clang-format off */

.macro small_branchy
  cmp $VEC, %rdx
  jb .Lbelow_vec
  cmp $(2 * VEC), %rdx
  ja .Labove_small
  LOADU (%rsi), V0
  LOADU -VEC(%rsi, %rdx), V1
  STOREU V0, (%rdi)
  STOREU V1, -VEC(%rdi, %rdx)
  RETURN

  .p2align 4
.Lbelow_vec:
#if VEC > 32
  cmp $32, %edx
  jae .L32_63
#endif
#if VEC > 16
  cmp $16, %edx
  jae .L16_31
#endif
  cmp $8, %edx
  jae .L8_15
  cmp $4, %edx
  jae .L4_7
  cmp $1, %edx
  ja .L2_3
  jb .L0
  movzbl (%rsi), %ecx
  mov %cl, (%rdi)
.L0:
  ret

  .p2align 4
.L8_15:
  mov (%rsi), %rcx
  mov -8(%rsi, %rdx), %rsi
  mov %rcx, (%rdi)
  mov %rsi, -8(%rdi, %rdx)
  ret

  .p2align 4
.L4_7:
  mov (%rsi), %ecx
  mov -4(%rsi, %rdx), %esi
  mov %ecx, (%rdi)
  mov %esi, -4(%rdi, %rdx)
  ret

  .p2align 4
.L2_3:
  movzwl (%rsi), %ecx
  movzwl -2(%rsi, %rdx), %esi
  mov %cx, (%rdi)
  mov %si, -2(%rdi, %rdx)
  ret

#if VEC > 16
  .p2align 4
.L16_31:
  LOADX (%rsi), X0
  LOADX -16(%rsi, %rdx), X1
  STOREX X0, (%rdi)
  STOREX X1, -16(%rdi, %rdx)
  ret
#endif

#if VEC > 32
  .p2align 4
.L32_63:
  LOADY (%rsi), Y0
  LOADY -32(%rsi, %rdx), Y1
  STOREY Y0, (%rdi)
  STOREY Y1, -32(%rdi, %rdx)
  ret
#endif

  .p2align 4
.Labove_small:
.endm
#define SMALL small_branchy
