/* SPDX-License-Identifier: MIT */
/*
 * The variants' addresses, as distances from the table: no relocation, so that the resolver may read them.
 * fc_variant_function and fc_variant_mempcpy (r3: the row) return what C may call: on ELFv1 a descriptor.
 * fc_variant_body returns the address of code on every ABI, which is where the slots lead.
 */
#include "asm.h"

/* clang-format off */

#ifdef __powerpc64__
#define LOADWA lwax
#else
#define LOADWA lwzx
#endif
#define LOOKUP(name, table)                                                                                            \
  ENTRY(name);                                                                                                         \
  FIND_TOC(name);                                                                                                      \
  ADDRESS_OF(r9, table);                                                                                               \
  SHLI r3, r3, 2;                                                                                                      \
  LOADWA r3, r9, r3;                                                                                                   \
  add r3, r3, r9;                                                                                                      \
  blr;                                                                                                                 \
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
