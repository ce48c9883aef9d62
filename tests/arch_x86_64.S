/* SPDX-License-Identifier: MIT */
/*
 * void arch_x86_call(struct arch_x86_frame *frame): one call with known values in every general register.
 * The frame: function, rdi, rsi, rdx, rcx, rax; then what was found afterwards: rax, rbx, rbp, r12-r15, flags.
 */
#include "asm.h"

/* clang-format off */

.set FUNCTION, 0
.set RDI, 8
.set RSI, 16
.set RDX, 24
.set RCX, 32
.set RAX, 40
.set AFTER_RAX, 48
.set AFTER_RBX, 56
.set AFTER_RBP, 64
.set AFTER_R12, 72
.set AFTER_R13, 80
.set AFTER_R14, 88
.set AFTER_R15, 96
.set AFTER_FLAGS, 104

ENTRY(arch_x86_call)
  push %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  push %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  push %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  push %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  push %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  push %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  push %rdi /* and the stack is aligned */
  .cfi_adjust_cfa_offset 8

  /* what is not an argument holds a value that does harm when it is used as a size or an address */
  movabs $0xb0b0000000000001, %rbx
  lea 1(%rbx), %rbp
  lea 2(%rbx), %r12
  lea 3(%rbx), %r13
  lea 4(%rbx), %r14
  lea 5(%rbx), %r15
  mov %rbx, %r8
  mov %rbx, %r9
  mov %rbx, %r10
  mov FUNCTION(%rdi), %r11
  mov RSI(%rdi), %rsi
  mov RDX(%rdi), %rdx
  mov RCX(%rdi), %rcx
  mov RAX(%rdi), %rax
  mov RDI(%rdi), %rdi
  call *%r11

  mov (%rsp), %r11
  mov %rax, AFTER_RAX(%r11)
  mov %rbx, AFTER_RBX(%r11)
  mov %rbp, AFTER_RBP(%r11)
  mov %r12, AFTER_R12(%r11)
  mov %r13, AFTER_R13(%r11)
  mov %r14, AFTER_R14(%r11)
  mov %r15, AFTER_R15(%r11)
  pushfq
  .cfi_adjust_cfa_offset 8
  pop AFTER_FLAGS(%r11)
  .cfi_adjust_cfa_offset -8
  cld

  pop %rdi
  .cfi_adjust_cfa_offset -8
  pop %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r15
  pop %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r14
  pop %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r13
  pop %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r12
  pop %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  pop %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  ret
END(arch_x86_call)

/* Slot contents that count their calls. */
  .hidden arch_spy_calls, fc_body_sse2
ENTRY(arch_x86_spy_0)
  incq arch_spy_calls(%rip)
  jmp fc_body_sse2
END(arch_x86_spy_0)

ENTRY(arch_x86_spy_1)
  incq (arch_spy_calls + 8)(%rip)
  jmp fc_body_sse2
END(arch_x86_spy_1)
