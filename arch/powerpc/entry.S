/* SPDX-License-Identifier: MIT */
/*
 * The exported names: void *memcpy(void *dst, const void *src, size_t n) and its family.
 *
 * Plain functions, not IFUNCs: the loader prints a Relink line for an interposed IFUNC memcpy. An entry jumps through
 * the slot to the chosen variant's body: see asm.h for what that wants. On 32 bits, where finding the slot takes six
 * instructions, it copies up to 8 words itself.
 * Slots and parameters lie in fc_live. Its initial values are the baseline's, so that a call before the
 * resolver has run is right: static programs do call memcpy then. The resolver runs once, for the IRELATIVE
 * relocation of fc_anchor.
 * A slot holds the distance of the body from itself, not its address: libraries with IFUNCs of their own call memcpy
 * before this library is relocated. On ELFv1 they come by a descriptor, which is relocated as late: the loader minds
 * that where it binds a PLT eagerly, and elsewhere their calls end before the first instruction here.
 *
 * Registers: r3 dst, r4 src, r5 n, r6 room; r11 slot; r0 what it holds, r12 or r2 on 64 bits to find it.
 */
#include "asm.h"

/* clang-format off */

/*
 * A plain exported function: the instructions that make its arguments those of the body, and a jump through `slot`.
 *
 * ELFv2 has two ways in, 64 bytes apart: who comes by the address, as the PLT does, has it in r12; who calls from within
 * the module has r2.
 */
#ifdef __powerpc64__
#define THROUGH_SLOT(...)                                                                                              \
  ld r0, 0(r11);                                                                                                       \
  __VA_ARGS__;                                                                                                         \
  add r11, r11, r0;                                                                                                    \
  mtctr r11;                                                                                                           \
  bctr
#if FC_ELFV2
#define EXPORTED(name, slot, ...)                                                                                      \
  .p2align 6;                                                                                                          \
  ENTRY_EXPORTED(name);                                                                                                \
  0: addis r11, r12, (fc_live + LIVE_##slot - 0b)@ha;                                                                  \
  addi r11, r11, (fc_live + LIVE_##slot - 0b)@l;                                                                       \
  THROUGH_SLOT(__VA_ARGS__);                                                                                           \
  .fill (64 - (. - name)) / 4, 4, 0x60000000;                                                                          \
  .localentry name, 64;                                                                                                \
  ADDRESS_OF(r11, fc_live + LIVE_##slot);                                                                              \
  THROUGH_SLOT(__VA_ARGS__);                                                                                           \
  END(name)
#else
#define EXPORTED(name, slot, ...)                                                                                      \
  .p2align 5;                                                                                                          \
  ENTRY_EXPORTED(name);                                                                                                \
  ADDRESS_OF(r11, fc_live + LIVE_##slot);                                                                              \
  THROUGH_SLOT(__VA_ARGS__);                                                                                           \
  END(name)
#endif
#else
#include "small_words.h"
  .p2align 5
  .cfi_startproc
  SMALL
  .cfi_endproc
#define EXPORTED(name, slot, ...)                                                                                      \
  .p2align 5;                                                                                                          \
  ENTRY_EXPORTED(name);                                                                                                \
  __VA_ARGS__;                                                                                                         \
  cmplwi r5, 8 * WORD;                                                                                                 \
  ble .Lsmall;                                                                                                         \
  FIND_PC(r11);                                                                                                        \
  addis r11, r11, (fc_live + LIVE_##slot - 0b)@ha;                                                                     \
  lwzu r0, (fc_live + LIVE_##slot - 0b)@l(r11);                                                                        \
  add r11, r11, r0;                                                                                                    \
  mtctr r11;                                                                                                           \
  bctr;                                                                                                                \
  END(name)
#endif

/* A hidden name for it, for use inside the library. */
#define INSIDE(inside, name)                                                                                           \
  .globl inside;                                                                                                       \
  .hidden inside;                                                                                                      \
  .set inside, name

#ifdef __powerpc64__
#define GIVES_DST
#define GIVES_END addi r11, r11, -MEMPCPY_BEFORE
#define SWAPPED mr r6, r3; mr r3, r4; mr r4, r6
#else
#define GIVES_DST mr r6, r3
#define GIVES_END mr r6, r3; add r3, r3, r5
#define SWAPPED mr r6, r4; mr r4, r3
#endif
#define COUNTED_WIDE SHLI r5, r5, 2
#define ROOM_CHECKED CMPL r6, r5; blt- .Lchk_fail

EXPORTED(memcpy, memcpy, GIVES_DST)
INSIDE(fc_entry_memcpy, memcpy)
EXPORTED(memmove, memmove, GIVES_DST)
INSIDE(fc_entry_memmove, memmove)
EXPORTED(mempcpy, memcpy, GIVES_END)
INSIDE(fc_entry_mempcpy, mempcpy)
  .globl __mempcpy
  .type __mempcpy, @function
  .set __mempcpy, mempcpy
  .size __mempcpy, . - CODE(mempcpy)

/* void bcopy(const void *src, void *dst, size_t n) */
EXPORTED(bcopy, memmove, SWAPPED)

/* The fortified names take the room at dst in r6, in the unit of n. */
EXPORTED(__memcpy_chk, memcpy, ROOM_CHECKED; GIVES_DST)
EXPORTED(__memmove_chk, memmove, ROOM_CHECKED; GIVES_DST)
EXPORTED(__mempcpy_chk, memcpy, ROOM_CHECKED; GIVES_END)

/* The wide names count n in wchar_t, 4 bytes. */
EXPORTED(wmemcpy, memcpy, COUNTED_WIDE; GIVES_DST)
EXPORTED(wmemmove, memmove, COUNTED_WIDE; GIVES_DST)
EXPORTED(wmempcpy, memcpy, COUNTED_WIDE; GIVES_END)
EXPORTED(__wmemcpy_chk, memcpy, ROOM_CHECKED; COUNTED_WIDE; GIVES_DST)
EXPORTED(__wmemmove_chk, memmove, ROOM_CHECKED; COUNTED_WIDE; GIVES_DST)
EXPORTED(__wmempcpy_chk, memcpy, ROOM_CHECKED; COUNTED_WIDE; GIVES_END)

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
  ADDRESS fc_body_word - .
  ADDRESS fc_body_word - .
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
