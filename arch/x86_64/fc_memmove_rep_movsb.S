/* SPDX-License-Identifier: MIT */
/*
 * rep movsb for every size, where its upward order is right: unless dst lies inside (src, src + n), when the
 * baseline copies. Registers: rdi dst, rsi src, rdx n, rax result (kept); rcx.
 */
#include "asm.h"

/* clang-format off */

ENTRY(fc_mempcpy_rep_movsb)
  lea (%rdi, %rdx), %rax
  jmp fc_body_rep_movsb
END(fc_mempcpy_rep_movsb)

ENTRY(fc_memmove_rep_movsb)
  mov %rdi, %rax
  .globl fc_body_rep_movsb
  .hidden fc_body_rep_movsb, fc_body_sse2
fc_body_rep_movsb:
  endbr64
  mov %rdi, %rcx
  sub %rsi, %rcx
  cmp %rdx, %rcx
  jb fc_body_sse2
  mov %rdx, %rcx
  rep movsb
  ret
END(fc_memmove_rep_movsb)
