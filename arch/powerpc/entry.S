/* SPDX-License-Identifier: MIT */
/*
 * The exported names: void *memcpy(void *dst, const void *src, size_t n) and its family.
 *
 * Plain functions, not IFUNCs: the loader prints a Relink line for an interposed IFUNC memcpy. An entry sets r3 to
 * the result and r6 to dst and jumps through the slot to the chosen variant's body, which keeps r3. On 32 bits, where
 * finding the slot takes six instructions, it copies up to 8 words itself.
 * Slots and parameters lie in fc_live. Its initial values are the baseline's, so that a call before the
 * resolver has run is right: static programs do call memcpy then. The resolver runs once, for the IRELATIVE
 * relocation of fc_anchor.
 *
 * Registers: r3 dst and result, r4 src, r5 n, r6 room, then dst; r11 slot; r0 on 32 bits, r2 elsewhere, to find it.
 */
#include "asm.h"

/* clang-format off */

/*
 * A plain exported function: the instructions that set r3 and r6, then a jump to the variant in `slot`.
 *
 * ELFv2 has two ways in, 64 bytes apart. Who comes by the address, as the PLT does, has it in r12 and finds fc_live
 * from there, one instruction shorter than over r2; who calls from within the module has r2.
 */
#if FC_ELFV2
#define EXPORTED(name, slot, ...)                                                                                      \
  .p2align 6;                                                                                                          \
  ENTRY_EXPORTED(name);                                                                                                \
  0: addis r11, r12, (fc_live - 0b)@ha;                                                                                \
  addi r11, r11, (fc_live - 0b)@l;                                                                                     \
  __VA_ARGS__;                                                                                                         \
  ld r11, LIVE_##slot(r11);                                                                                            \
  mtctr r11;                                                                                                           \
  bctr;                                                                                                                \
  .fill (64 - (. - name)) / 4, 4, 0x60000000;                                                                          \
  .localentry name, 64;                                                                                                \
  __VA_ARGS__;                                                                                                         \
  LIVE_LOAD(r11, slot);                                                                                                \
  mtctr r11;                                                                                                           \
  bctr;                                                                                                                \
  END(name)
#else
#ifdef __powerpc64__
#define SMALL_FIRST
#else
#include "small_words.h"
#define SMALL_FIRST cmplwi r5, 8 * WORD; ble .Lsmall
  .p2align 5
  .cfi_startproc
  SMALL
  .cfi_endproc
#endif
#define EXPORTED(name, slot, ...)                                                                                      \
  .p2align 5;                                                                                                          \
  ENTRY_EXPORTED(name);                                                                                                \
  __VA_ARGS__;                                                                                                         \
  SMALL_FIRST;                                                                                                         \
  LIVE_LOAD(r11, slot);                                                                                                \
  mtctr r11;                                                                                                           \
  bctr;                                                                                                                \
  END(name)
#endif

/* A hidden name for it, for use inside the library. */
#define INSIDE(inside, name)                                                                                           \
  .globl inside;                                                                                                       \
  .hidden inside;                                                                                                      \
  .set inside, name

#define FROM_START mr r6, r3
#define FROM_START_TO_END mr r6, r3; add r3, r3, r5
#define COUNTED_WIDE SHLI r5, r5, 2
#define ROOM_CHECKED CMPL r6, r5; blt- .Lchk_fail

EXPORTED(memcpy, memcpy, FROM_START)
INSIDE(fc_entry_memcpy, memcpy)
EXPORTED(memmove, memmove, FROM_START)
INSIDE(fc_entry_memmove, memmove)
EXPORTED(mempcpy, memcpy, FROM_START_TO_END)
INSIDE(fc_entry_mempcpy, mempcpy)
  .globl __mempcpy
  .type __mempcpy, @function
  .set __mempcpy, mempcpy
  .size __mempcpy, . - CODE(mempcpy)

/* void bcopy(const void *src, void *dst, size_t n) */
EXPORTED(bcopy, memmove, mr r6, r4; mr r4, r3)

/* The fortified names take the room at dst in r6, in the unit of n. */
EXPORTED(__memcpy_chk, memcpy, ROOM_CHECKED; FROM_START)
EXPORTED(__memmove_chk, memmove, ROOM_CHECKED; FROM_START)
EXPORTED(__mempcpy_chk, memcpy, ROOM_CHECKED; FROM_START_TO_END)

/* The wide names count n in wchar_t, 4 bytes. */
EXPORTED(wmemcpy, memcpy, COUNTED_WIDE; FROM_START)
EXPORTED(wmemmove, memmove, COUNTED_WIDE; FROM_START)
EXPORTED(wmempcpy, memcpy, COUNTED_WIDE; FROM_START_TO_END)
EXPORTED(__wmemcpy_chk, memcpy, ROOM_CHECKED; COUNTED_WIDE; FROM_START)
EXPORTED(__wmemmove_chk, memmove, ROOM_CHECKED; COUNTED_WIDE; FROM_START)
EXPORTED(__wmempcpy_chk, memcpy, ROOM_CHECKED; COUNTED_WIDE; FROM_START_TO_END)

/*
 * The C library's message and abort; a jump, so that the stack looks as if it had been called itself. Through the
 * GOT and not the PLT: a 32-bit PLT call wants r30 set up. The caller's r2 is lost, to a function that never returns.
 */
  .cfi_startproc
.Lchk_fail:
#ifdef __powerpc64__
#if FC_ELFV2
  FIND_PC(r2)
  addis r2, r2, (.TOC. - 0b)@ha
  addi r2, r2, (.TOC. - 0b)@l
#endif
  addis r12, r2, __chk_fail@got@ha
  ld r12, __chk_fail@got@l(r12)
#if FC_ELFV1
  ld r2, 8(r12)
  ld r12, 0(r12)
#endif
#else
  ADDRESS_OF(r12, _GLOBAL_OFFSET_TABLE_)
  lwz r12, __chk_fail@got(r12)
#endif
  mtctr r12
  bctr
  .cfi_endproc

/*
 * The names for direct binding. They may be bound before the library itself is relocated. On 64 bits C finds its data
 * from r2 all the same; on 32 bits it would go through words that are not addresses yet, so it is not entered, and the
 * answer is the baseline, as it would be. fc_self tells: it holds its own address once it is relocated.
 */
#ifdef __powerpc64__
#define RESOLVE(resolver, baseline) b resolver
#else
#define RESOLVE(resolver, baseline)                                                                                    \
  ADDRESS_OF(r11, fc_self);                                                                                            \
  lwz r0, 0(r11);                                                                                                      \
  cmplw r0, r11;                                                                                                       \
  beq+ resolver;                                                                                                       \
  ADDRESS_OF(r3, baseline);                                                                                           \
  blr
#endif
#define IFUNC(name, resolver, baseline)                                                                                \
  .hidden resolver;                                                                                                    \
  .hidden baseline;                                                                                                    \
  .p2align 5;                                                                                                          \
  ENTRY_EXPORTED(name);                                                                                                \
  FIND_TOC(name);                                                                                                      \
  .type name, @gnu_indirect_function;                                                                                  \
  RESOLVE(resolver, baseline);                                                                                         \
  END(name)

IFUNC(fastcopy_memcpy, fc_resolve_memcpy, fc_memmove_word)
IFUNC(fastcopy_memmove, fc_resolve_memmove, fc_memmove_word)
IFUNC(fastcopy_mempcpy, fc_resolve_mempcpy, fc_mempcpy_word)

  .hidden fc_resolve
  .p2align 2
FUNCTION(fc_anchor)
  FIND_TOC(fc_anchor)
  .type fc_anchor, @gnu_indirect_function
  b fc_resolve
END(fc_anchor)

  .section .data.rel.ro, "aw", @progbits
  .p2align 6
  .globl fc_live
  .type fc_live, @object
  .hidden fc_body_word
fc_live:
  ADDRESS fc_body_word
  ADDRESS fc_body_word
#define SIZE_MAX -1
#define FC_PARAM(name, initial, ...) ADDRESS initial;
#include "params.def"
  .size fc_live, . - fc_live

  /* the pointer whose IRELATIVE relocation runs the resolver */
  ADDRESS fc_anchor
#ifndef __powerpc64__
fc_self:
  ADDRESS fc_self
#endif
