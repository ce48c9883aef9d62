/* SPDX-License-Identifier: MIT */
/*
 * The variants' addresses, as distances from the table: no relocation, so that the resolver may read them.
 * fc_variant_function, fc_variant_mempcpy and fc_variant_body (edi: the row) return the address in rax.
 */
#include "asm.h"

/* clang-format off */

#define LOOKUP(name, table)                                                                                            \
  ENTRY_PACKED(name);                                                                                                  \
  lea table(%rip), %rax;                                                                                               \
  mov %edi, %edi;                                                                                                      \
  movslq (%rax, %rdi, 4), %rcx;                                                                                        \
  add %rcx, %rax;                                                                                                      \
  ret;                                                                                                                 \
  END(name)

LOOKUP(fc_variant_function, functions)
LOOKUP(fc_variant_mempcpy, mempcpys)
LOOKUP(fc_variant_body, bodies)

  .section .rodata, "a", @progbits
  .p2align 2
functions:
#define FC_VARIANT(name, ...) .hidden fc_memmove_##name; .long fc_memmove_##name - functions;
#include "variants.def"
#undef FC_VARIANT
mempcpys:
#define FC_VARIANT(name, ...) .hidden fc_mempcpy_##name; .long fc_mempcpy_##name - mempcpys;
#include "variants.def"
#undef FC_VARIANT
bodies:
#define FC_VARIANT(name, ...) .hidden fc_body_##name; .long fc_body_##name - bodies;
#include "variants.def"
#undef FC_VARIANT
