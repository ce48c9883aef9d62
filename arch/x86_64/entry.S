/* SPDX-License-Identifier: MIT */
/*
 * The exported names: void *memcpy(void *dst, const void *src, size_t n) and its family.
 *
 * Plain functions, not IFUNCs: the loader prints a Relink line for an interposed IFUNC memcpy. An entry sets
 * rax to the result and
 *   exact_small          copies sizes below 64 here, by exact-width moves. What is compared with the size is a constant: a
 *                        branch that waits for a loaded bound is found to be mispredicted so much later
 *   below masked_below   copies with one masked load and store, here (AVX-512BW/VL, BMI2)
 *   else                 jumps through the slot to the chosen variant's body, which keeps rax
 * The plan leaves both small paths off where they were not measured to win. What stands in front costs the others a
 * jump: exact moves come first since they are for the CPUs where such a jump counts for most.
 * Slots and parameters lie in fc_live. The resolver fills them, once, for the IRELATIVE relocation of fc_anchor. But
 * libraries with IFUNCs of their own call memcpy before this library is relocated, when no address in its data is
 * right yet: until the resolver has run, small sizes are copied here, and masked_below is larger than any size, and
 * its branch leads to the baseline.
 *
 * Registers: rdi dst, rsi src, rdx n, rax result; rcx, r8-r11 and vector registers are overwritten.
 */
#include "asm.h"

#include "small_exact.h"

/* clang-format off */

  .hidden fc_body_sse2

/* rax is set: copy by a small path or by the variant in `slot`. */
.macro copy slot
  cmpb $0, LIVE(exact_small)
  je 1f
  cmp $64, %rdx
  jae 1f
  exact_moves

  .p2align 4
1:
  cmp LIVE(masked_below), %rdx
  jb 2f
  jmp *(fc_live + \slot)(%rip)
2:
  jns fc_body_sse2 /* n - SIZE_MAX, not n - 65 or less: the resolver has not run */
  mov $-1, %rcx
  bzhi %rdx, %rcx, %rcx
  kmovq %rcx, %k1
  vmovdqu8 (%rsi), %zmm16{%k1}{z}
  vmovdqu8 %zmm16, (%rdi){%k1}
  ret
.endm

/* A plain exported function with a hidden name for use inside the library. */
#define ENTRY_NAMED(name, inside)                                                                                      \
  .p2align 6;                                                                                                          \
  .globl inside;                                                                                                       \
  .hidden inside;                                                                                                      \
  ENTRY_EXPORTED(name);                                                                                                 \
  .set inside, name

/* A fortified name, which takes the room at dst in rcx, in the unit of n; it runs on into the entry that follows. */
#define ENTRY_CHECKED(name)                                                                                            \
  .p2align 6;                                                                                                          \
  .fill 48, 1, 0xcc;                                                                                                   \
  ENTRY_EXPORTED(name);                                                                                                \
  cmp %rdx, %rcx;                                                                                                      \
  jb fc_chk_fail;                                                                                                      \
  .p2align 6;                                                                                                          \
  END(name)

ENTRY_CHECKED(__memcpy_chk)
ENTRY_NAMED(memcpy, fc_entry_memcpy)
  mov %rdi, %rax
  copy LIVE_memcpy
END(memcpy)

ENTRY_CHECKED(__memmove_chk)
ENTRY_NAMED(memmove, fc_entry_memmove)
  mov %rdi, %rax
  copy LIVE_memmove
END(memmove)

ENTRY_CHECKED(__mempcpy_chk)
ENTRY_NAMED(mempcpy, fc_entry_mempcpy)
  lea (%rdi, %rdx), %rax
  copy LIVE_memcpy
END(mempcpy)
  .globl __mempcpy
  .type __mempcpy, @function
  .set __mempcpy, mempcpy
  .size __mempcpy, . - mempcpy

/* void bcopy(const void *src, void *dst, size_t n) */
ENTRY_EXPORTED(bcopy)
  xchg %rdi, %rsi
  jmp fc_entry_memmove
END(bcopy)

/* The wide names count n in wchar_t, 4 bytes. */
ENTRY_EXPORTED(__wmemcpy_chk)
  cmp %rdx, %rcx
  jb fc_chk_fail
  shl $2, %rdx
  jmp fc_entry_memcpy
END(__wmemcpy_chk)

ENTRY_EXPORTED(wmemcpy)
  shl $2, %rdx
  jmp fc_entry_memcpy
END(wmemcpy)

ENTRY_EXPORTED(__wmemmove_chk)
  cmp %rdx, %rcx
  jb fc_chk_fail
  shl $2, %rdx
  jmp fc_entry_memmove
END(__wmemmove_chk)

ENTRY_EXPORTED(wmemmove)
  shl $2, %rdx
  jmp fc_entry_memmove
END(wmemmove)

ENTRY_EXPORTED(__wmempcpy_chk)
  cmp %rdx, %rcx
  jb fc_chk_fail
  shl $2, %rdx
  jmp fc_entry_mempcpy
END(__wmempcpy_chk)

ENTRY_EXPORTED(wmempcpy)
  shl $2, %rdx
  jmp fc_entry_mempcpy
END(wmempcpy)

/* The C library's message and abort; a jump, so that the stack looks as if it had been called itself. */
ENTRY_PACKED(fc_chk_fail)
  jmp *__chk_fail@GOTPCREL(%rip)
END(fc_chk_fail)

/* The names for direct binding. */
#define IFUNC(name, resolver)                                                                                          \
  .globl name;                                                                                                         \
  .type name, @gnu_indirect_function;                                                                                  \
  .hidden resolver;                                                                                                    \
  name:                                                                                                                \
  .cfi_startproc;                                                                                                      \
  endbr64;                                                                                                             \
  jmp resolver;                                                                                                        \
  .cfi_endproc;                                                                                                        \
  .size name, . - name

IFUNC(fastcopy_memcpy, fc_resolve_memcpy)
IFUNC(fastcopy_memmove, fc_resolve_memmove)
IFUNC(fastcopy_mempcpy, fc_resolve_mempcpy)

  .hidden fc_resolve
  .type fc_anchor, @gnu_indirect_function
fc_anchor:
  .cfi_startproc
  endbr64
  jmp fc_resolve
  .cfi_endproc
  .size fc_anchor, . - fc_anchor

  .section .data.rel.ro, "aw", @progbits
  .p2align 6
  .globl fc_live
  .type fc_live, @object
fc_live:
  .quad 0
  .quad 0
#define SIZE_MAX 0xffffffffffffffff
#define FC_PARAM(name, initial, ...)                                                                                   \
  .if LIVE_##name == LIVE_masked_below;                                                                                \
  .quad SIZE_MAX; /* these two until the resolver has run */                                                           \
  .elseif LIVE_##name == LIVE_exact_small;                                                                             \
  .quad 1;                                                                                                             \
  .else;                                                                                                               \
  .quad initial;                                                                                                       \
  .endif;
#include "params.def"
  .size fc_live, . - fc_live

  /* the pointer whose IRELATIVE relocation runs the resolver */
  .quad fc_anchor
