/* SPDX-License-Identifier: MIT */
/* The ABI side of an assembly routine: type, size, visibility, CFI, landing pad, property notes. */
#ifndef FC_X86_ASM_H
#define FC_X86_ASM_H

/* clang-format off */

/* A hidden routine; ENTRY_EXPORTED is for the names that programs see. */
#define ENTRY(name)                                                                                                    \
  .p2align 6;                                                                                                          \
  ENTRY_PACKED(name)
#define ENTRY_PACKED(name)                                                                                             \
  .globl name;                                                                                                         \
  .hidden name;                                                                                                        \
  ENTRY_EXPORTED(name)
#define ENTRY_EXPORTED(name)                                                                                           \
  .globl name;                                                                                                         \
  .type name, @function;                                                                                               \
  name:                                                                                                                \
  .cfi_startproc;                                                                                                      \
  endbr64
#define END(name)                                                                                                      \
  .cfi_endproc;                                                                                                        \
  .size name, . - name

/* Offsets in fc_live: two slots, then the parameters in the order of params.def. */
.set LIVE_memcpy, 0
.set LIVE_memmove, 8
.set live_next, 16
#define FC_PARAM(name, ...)                                                                                            \
  .set LIVE_##name, live_next;                                                                                         \
  .set live_next, live_next + 8;
#include "params.def"
#undef FC_PARAM
.hidden fc_live
#define LIVE(name) (fc_live + LIVE_##name)(%rip)

/* x86 feature note: the object follows the rules of IBT (1) and SHSTK (2). */
.section .note.gnu.property, "a", @note
.p2align 3
.long 4, 16, 5
.asciz "GNU"
.long 0xc0000002, 4, 3, 0

.section .note.GNU-stack, "", @progbits
.text

#endif
