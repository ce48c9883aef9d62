/* SPDX-License-Identifier: MIT */
/* The portable C copy, fc_memmove_generic() of arch/generic, behind the convention of the slots: rax is kept. */
#include "asm.h"

/* clang-format off */

.hidden fc_memmove_generic

ENTRY(fc_mempcpy_generic)
  lea (%rdi, %rdx), %rax
  jmp fc_body_generic
END(fc_mempcpy_generic)

ENTRY(fc_body_generic)
  push %rax
  .cfi_adjust_cfa_offset 8
  call fc_memmove_generic
  pop %rax
  .cfi_adjust_cfa_offset -8
  ret
END(fc_body_generic)
