/* SPDX-License-Identifier: MIT */
/*
 * The ABI side of an assembly routine, for the three ABIs of one source: ELFv2 (ppc64le), ELFv1 with function
 * descriptors (ppc64 big-endian) and 32-bit with the secure PLT.
 *
 * A variant's file is
 *
 *   #include "asm.h"
 *   MACHINE(power9)              what the assembler may accept here
 *   VARIANT(name)                r3 result, r4 src, r5 n, r6 dst
 *     ...                        keeps r3; returns by blr
 *   VARIANT_END(name)
 *
 * VARIANT makes fc_memmove_<name>, fc_mempcpy_<name> (callable, hidden) and fc_body_<name>, the address of code that the
 * slots lead to:
 *
 *   64 bits   the memmove itself; the mempcpy lies MEMPCPY_BEFORE bytes before it
 *   32 bits   what follows the small sizes, which the entries copy themselves, all like the word copy, since finding a
 *             slot costs as much (FC_SLOT_LEAST in arch_registry.h): r3 result, r4 src, r5 n, r6 dst
 *
 * A body may overwrite r0, r4-r12, ctr, cr0, cr1, cr5-cr7, xer, f0-f13, v0-v19 (vs0-vs13, vs32-vs51), of these only
 * what its features stand for; lr and r1 stay as they are. r2 stays too, and is not known on ELFv2: who copies little
 * does not pay for finding it.
 */
#ifndef FC_POWERPC_ASM_H
#define FC_POWERPC_ASM_H

/* clang-format off */

/* Register names that every assembler takes without an option. */
#define r0 %r0
#define r1 %r1
#define r2 %r2
#define r3 %r3
#define r4 %r4
#define r5 %r5
#define r6 %r6
#define r7 %r7
#define r8 %r8
#define r9 %r9
#define r10 %r10
#define r11 %r11
#define r12 %r12
#define cr0 %cr0
#define cr1 %cr1
#define cr5 %cr5
#define cr6 %cr6
#define cr7 %cr7
#define v0 %v0
#define v1 %v1
#define v2 %v2
#define v3 %v3
#define v4 %v4
#define v5 %v5
#define v6 %v6
#define v7 %v7
#define v8 %v8
#define v9 %v9
#define v10 %v10
#define v11 %v11
#define v12 %v12
#define v13 %v13
#define v14 %v14
#define v15 %v15
#define v16 %v16
#define v17 %v17
#define v18 %v18
#define v19 %v19
#define vs0 %vs0
#define vs1 %vs1
#define vs2 %vs2
#define vs3 %vs3
#define vs4 %vs4
#define vs5 %vs5
#define vs6 %vs6
#define vs7 %vs7
#define vs8 %vs8
#define vs9 %vs9
#define vs10 %vs10
#define vs11 %vs11
#define vs12 %vs12
#define vs13 %vs13
#define vs32 %vs32
#define vs33 %vs33
#define vs34 %vs34
#define vs35 %vs35
#define vs36 %vs36
#define vs37 %vs37
#define vs38 %vs38
#define vs39 %vs39
#define vs40 %vs40
#define vs41 %vs41
#define vs42 %vs42
#define vs43 %vs43
#define vs44 %vs44
#define vs45 %vs45
#define vs46 %vs46
#define vs47 %vs47
#define vs48 %vs48
#define vs49 %vs49
#define vs50 %vs50
#define vs51 %vs51

/* The instructions that follow; holds to the end of the file. */
#define MACHINE(cpu) .machine cpu

/* A register of the ABI is a word: WORD bytes, 1 << WORD_SHIFT. */
#ifdef __powerpc64__
#define WORD 8
#define WORD_SHIFT 3
#define LOADW ld
#define LOADWU ldu
#define STOREW std
#define STOREWU stdu
#define CMPL cmpld
#define CMPLI cmpldi
#define SHLI sldi
#define SHRI srdi
#define ADDRESS .quad
#else
#define WORD 4
#define WORD_SHIFT 2
#define LOADW lwz
#define LOADWU lwzu
#define STOREW stw
#define STOREWU stwu
#define CMPL cmplw
#define CMPLI cmplwi
#define SHLI slwi
#define SHRI srwi
#define ADDRESS .long
#endif

#if defined __powerpc64__ && defined _CALL_ELF && _CALL_ELF == 2
#define FC_ELFV2 1
#define FC_ELFV1 0
  .abiversion 2
#elif defined __powerpc64__
#define FC_ELFV2 0
#define FC_ELFV1 1
#else
#define FC_ELFV2 0
#define FC_ELFV1 0
#endif

/* Type, visibility, descriptor and start of a function. CODE(name) is its first instruction: branch there. */
#if FC_ELFV1
#define CODE(name) .L.name_##name
#define FUNCTION(name)                                                                                                 \
  .section .opd, "aw", @progbits;                                                                                      \
  .p2align 3;                                                                                                          \
  name:                                                                                                                \
  .quad CODE(name), .TOC.@tocbase, 0;                                                                                  \
  .previous;                                                                                                           \
  .type name, @function;                                                                                               \
  CODE(name):                                                                                                          \
  .cfi_startproc
#else
#define CODE(name) name
#define FUNCTION(name)                                                                                                 \
  .type name, @function;                                                                                               \
  name:                                                                                                                \
  .cfi_startproc
#endif

/* ENTRY: a hidden routine; ENTRY_EXPORTED is for the names that programs see. */
#define ENTRY(name)                                                                                                    \
  .p2align 5;                                                                                                          \
  .hidden name;                                                                                                        \
  ENTRY_EXPORTED(name)
#define ENTRY_EXPORTED(name)                                                                                           \
  .globl name;                                                                                                         \
  FUNCTION(name)
#define END(name)                                                                                                      \
  .cfi_endproc;                                                                                                        \
  .size name, . - CODE(name)

/*
 * FIND_TOC(name), first in a function that reads data through r2 or calls C: two instructions on ELFv2, none on ELFv1,
 * where the descriptor brought r2, and on 32 bits, where r2 is the thread pointer.
 */
#if FC_ELFV2
#define FIND_TOC(name)                                                                                                 \
  0: addis r2, r12, (.TOC. - 0b)@ha;                                                                                   \
  addi r2, r2, (.TOC. - 0b)@l;                                                                                         \
  .localentry name, . - name
#else
#define FIND_TOC(name)
#endif

/*
 * Where code lies, without r2: label 0 and its address in reg; overwrites r0. LR is on loan, and the branch form is
 * the one that return predictors know to be no call.
 */
#define FIND_PC(reg)                                                                                                   \
  mflr r0;                                                                                                             \
  .cfi_register 65, 0;                                                                                                 \
  bcl 20, 31, 0f;                                                                                                      \
  0: mflr reg;                                                                                                         \
  mtlr r0;                                                                                                             \
  .cfi_restore 65

/* ADDRESS_OF(reg, symbol): of this library; overwrites r0 on 32 bits. */
#ifdef __powerpc64__
#define ADDRESS_OF(reg, symbol)                                                                                        \
  addis reg, r2, symbol@toc@ha;                                                                                        \
  addi reg, reg, symbol@toc@l
#else
#define ADDRESS_OF(reg, symbol)                                                                                        \
  FIND_PC(reg);                                                                                                        \
  addis reg, reg, (symbol - 0b)@ha;                                                                                    \
  addi reg, reg, (symbol - 0b)@l
#endif

/* Offsets in fc_live: two slots, then the parameters in the order of params.def. */
.set LIVE_memcpy, 0
.set LIVE_memmove, WORD
.set live_next, 2 * WORD
#define FC_PARAM(name, ...)                                                                                            \
  .set LIVE_##name, live_next;                                                                                         \
  .set live_next, live_next + WORD;
#include "params.def"
#undef FC_PARAM
.hidden fc_live

#define MEMPCPY_BEFORE 32 /* a multiple of what ENTRY aligns to */

/* SLOTS_LEAD_TO(name, code): fc_body_<name> */
#define SLOTS_LEAD_TO(name, code)                                                                                      \
  .globl fc_body_##name;                                                                                               \
  .hidden fc_body_##name;                                                                                              \
  .set fc_body_##name, code
#ifdef __powerpc64__
#define SLOTS_LEAD_TO_VARIANT(name) SLOTS_LEAD_TO(name, CODE(fc_memmove_##name))
#else
#define SLOTS_LEAD_TO_VARIANT(name) SLOTS_LEAD_TO(name, .Lfrom_slot)
#endif
#define MEMPCPY(name, ...)                                                                                             \
  ENTRY(fc_mempcpy_##name);                                                                                            \
  mr r6, r3;                                                                                                           \
  add r3, r3, r5;                                                                                                      \
  __VA_ARGS__;                                                                                                         \
  END(fc_mempcpy_##name);                                                                                              \
  .org CODE(fc_mempcpy_##name) + MEMPCPY_BEFORE
#define VARIANT(name)                                                                                                  \
  MEMPCPY(name, b .Lbody);                                                                                             \
  ENTRY(fc_memmove_##name);                                                                                            \
  SLOTS_LEAD_TO_VARIANT(name);                                                                                         \
  mr r6, r3;                                                                                                           \
  .Lbody:
#define VARIANT_END(name) END(fc_memmove_##name)

.section .note.GNU-stack, "", @progbits
.text

#endif
