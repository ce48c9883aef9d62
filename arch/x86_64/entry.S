/* SPDX-License-Identifier: MIT */
/*
 * The exported names: void *memcpy(void *dst, const void *src, size_t n) and its family.
 *
 * Plain functions, not IFUNCs: the loader prints a Relink line for an interposed IFUNC memcpy. An entry sets
 * rax to the result and
 *   below masked_below   copies with one masked load and store, here, not through the slot (AVX-512BW/VL, BMI2);
 *                        the plan leaves it 0 where it was not measured to win. The branch is not taken where it is 0:
 *                        a taken one costs a CPU without AVX-512 as much as the jump through the slot
 *   above                jumps through the slot to the chosen variant's body, which keeps rax
 * Slots and parameters lie in fc_live. The resolver fills them, once, for the IRELATIVE relocation of fc_anchor. But
 * libraries with IFUNCs of their own call memcpy before this library is relocated, when no address in its data is
 * right yet: until the resolver has run, masked_below is larger than any size, and the branch, which costs nothing more,
 * leads to the baseline.
 *
 * Registers: rdi dst, rsi src, rdx n, rax result; rcx, r8-r11 and vector registers are overwritten.
 */
#include "asm.h"

/* clang-format off */

  .hidden fc_body_sse2

/* rax is set: copy by the small path or by the variant in `slot`. */
.macro copy slot
  cmp LIVE(masked_below), %rdx
  jb 1f
  jmp *(fc_live + \slot)(%rip)
1:
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

ENTRY_NAMED(memcpy, fc_entry_memcpy)
  mov %rdi, %rax
  copy LIVE_memcpy
END(memcpy)

ENTRY_NAMED(memmove, fc_entry_memmove)
  mov %rdi, %rax
  copy LIVE_memmove
END(memmove)

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

/* The fortified names take the room at dst in rcx, in the unit of n. */
ENTRY_EXPORTED(__memcpy_chk)
  cmp %rdx, %rcx
  jb fc_chk_fail
  mov %rdi, %rax
  copy LIVE_memcpy
END(__memcpy_chk)

ENTRY_EXPORTED(__memmove_chk)
  cmp %rdx, %rcx
  jb fc_chk_fail
  mov %rdi, %rax
  copy LIVE_memmove
END(__memmove_chk)

ENTRY_EXPORTED(__mempcpy_chk)
  cmp %rdx, %rcx
  jb fc_chk_fail
  lea (%rdi, %rdx), %rax
  copy LIVE_memcpy
END(__mempcpy_chk)

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
  .quad SIZE_MAX; /* until the resolver has run */                                                                     \
  .else;                                                                                                               \
  .quad initial;                                                                                                       \
  .endif;
#include "params.def"
  .size fc_live, . - fc_live

  /* the pointer whose IRELATIVE relocation runs the resolver */
  .quad fc_anchor
