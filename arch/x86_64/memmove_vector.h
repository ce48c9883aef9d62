/* SPDX-License-Identifier: MIT */
/*
 * void *fc_memmove_<NAME>(void *dst, const void *src, size_t n), right for any overlap.
 * void *fc_mempcpy_<NAME>(void *dst, const void *src, size_t n), returns dst + n.
 * fc_body_<NAME>: the same with the result already in rax, which is what the slots hold.
 *
 * An instantiation sets NAME(prefix), VEC (bytes of a vector: 16, 32, 64), V0..V8 (vector registers), LOADU, STOREU,
 * STOREA, STORENT (moves: unaligned, aligned, non-temporal), RETURN (vzeroupper first, where needed), and
 * SMALL: a macro that copies 0..2 VEC bytes and returns, and falls through above.
 *
 *   0 .. 2 VEC     SMALL
 *   .. 8 VEC       4 or 8 vectors, the two halves overlapping; all loaded before the first store
 *   above          dst inside (src, src + n): backward loop. Else forward loop, but backward where a load would follow
 *                  a store to the same place in another page (see ALIAS). Both copy TURN vectors a turn to
 *                  aligned addresses; the ragged ends are loaded before the loop and stored after it, so that
 *                  a loop that overwrites its own source never needs those bytes again
 *   rep_movsb_min .. rep_movsb_max, no overlap         64 bytes by vector, then rep movsb to an aligned dst
 *   from non_temporal_min, no overlap                  non-temporal loop over whole cache lines, then sfence
 *
 * Registers: rdi dst, rsi src, rdx n, rax result (kept); rcx, r8-r11, V0..V8 and xmm0-4 are overwritten.
 */
#include "asm.h"

/* clang-format off */

#if VEC != 16 && VEC != 32 && VEC != 64
#error "VEC must be 16, 32 or 64"
#endif

/* Vectors a turn: one cache line, since what the last turn and the ragged end have in common is copied twice. */
#if VEC == 32
#define TURN 2
#else
#define TURN 4
#endif

/*
 * From this size two turns are one, which cost fewer jumps: a predictor that counts the turns of a loop, and so knows
 * its end, counts to a few dozen.
 */
#define LONG 2048

/*
 * A load that comes less than this behind a store, in the low 12 bits of the address, may be held up until it is clear
 * that they differ: so with dst that far after src, modulo a page, each turn of the forward loop would wait. Not where
 * the distance is a multiple of 16: there each load matches one store or none.
 */
#define ALIAS 256

#define PAGE 4096

/* One turn of a loop, `from` vectors on; all loads first, since source and destination may overlap. */
.macro forward_vectors from
  LOADU ((\from + 0) * VEC)(%rsi), V1
  LOADU ((\from + 1) * VEC)(%rsi), V2
#if TURN == 4
  LOADU ((\from + 2) * VEC)(%rsi), V3
  LOADU ((\from + 3) * VEC)(%rsi), V4
#endif
  STOREA V1, ((\from + 0) * VEC)(%rdi)
  STOREA V2, ((\from + 1) * VEC)(%rdi)
#if TURN == 4
  STOREA V3, ((\from + 2) * VEC)(%rdi)
  STOREA V4, ((\from + 3) * VEC)(%rdi)
#endif
.endm

.macro backward_vectors from
  LOADU -((\from + 1) * VEC)(%rsi), V1
  LOADU -((\from + 2) * VEC)(%rsi), V2
#if TURN == 4
  LOADU -((\from + 3) * VEC)(%rsi), V3
  LOADU -((\from + 4) * VEC)(%rsi), V4
#endif
  STOREA V1, -((\from + 1) * VEC)(%r8)
  STOREA V2, -((\from + 2) * VEC)(%r8)
#if TURN == 4
  STOREA V3, -((\from + 3) * VEC)(%r8)
  STOREA V4, -((\from + 4) * VEC)(%r8)
#endif
.endm

ENTRY(NAME(fc_mempcpy_))
  lea (%rdi, %rdx), %rax
  jmp .Lbody
END(NAME(fc_mempcpy_))

ENTRY(NAME(fc_memmove_))
  mov %rdi, %rax
  .globl NAME(fc_body_)
  .hidden NAME(fc_body_)
NAME(fc_body_):
.Lbody:
  endbr64
  SMALL

  /* above 2 VEC */
  cmp $(8 * VEC), %rdx
  ja .Lloops
  LOADU (%rsi), V0
  LOADU VEC(%rsi), V1
  LOADU -(1 * VEC)(%rsi, %rdx), V2
  LOADU -(2 * VEC)(%rsi, %rdx), V3
  cmp $(4 * VEC), %rdx
  ja .Lto_8
  /* .. 4 VEC */
  STOREU V0, (%rdi)
  STOREU V1, VEC(%rdi)
  STOREU V2, -(1 * VEC)(%rdi, %rdx)
  STOREU V3, -(2 * VEC)(%rdi, %rdx)
  RETURN

  .p2align 4
.Lto_8:
  /* .. 8 VEC */
  LOADU (2 * VEC)(%rsi), V4
  LOADU (3 * VEC)(%rsi), V5
  LOADU -(3 * VEC)(%rsi, %rdx), V6
  LOADU -(4 * VEC)(%rsi, %rdx), V7
  STOREU V0, (%rdi)
  STOREU V1, VEC(%rdi)
  STOREU V4, (2 * VEC)(%rdi)
  STOREU V5, (3 * VEC)(%rdi)
  STOREU V6, -(3 * VEC)(%rdi, %rdx)
  STOREU V7, -(4 * VEC)(%rdi, %rdx)
  STOREU V2, -(1 * VEC)(%rdi, %rdx)
  STOREU V3, -(2 * VEC)(%rdi, %rdx)
  RETURN

  .p2align 4
.Lloops:
  /* above 8 VEC: which way? */
  mov %rdi, %rcx
  sub %rsi, %rcx
  je .Ldone
  cmp %rdx, %rcx
  jb .Lbackward
  cmp LIVE(non_temporal_min), %rdx
  jae .Lnon_temporal
  cmp LIVE(rep_movsb_min), %rdx
  jae .Lrep_movsb

.Lforward:
  mov %edi, %ecx
  sub %esi, %ecx
  and $(PAGE - 1), %ecx
  cmp $ALIAS, %ecx
  jb .Lalias
.Lforward_go:
  LOADU (%rsi), V0
  LOADU -(1 * VEC)(%rsi, %rdx), V5
  LOADU -(2 * VEC)(%rsi, %rdx), V6
#if TURN == 4
  LOADU -(3 * VEC)(%rsi, %rdx), V7
  LOADU -(4 * VEC)(%rsi, %rdx), V8
#endif
  lea -(TURN * VEC)(%rdi, %rdx), %r8 /* where the last vectors go */
  mov %rdi, %r9
  sub %rdi, %rsi
  or $(VEC - 1), %rdi
  inc %rdi /* aligned, 1..VEC bytes on */
  add %rdi, %rsi
#if VEC < 64
  cmp $LONG, %rdx
  jae .Lforward_long
#endif
  .p2align 5
.Lforward_turn:
  forward_vectors 0
  add $(TURN * VEC), %rsi
  add $(TURN * VEC), %rdi
  cmp %r8, %rdi
  jb .Lforward_turn
.Lforward_end:
#if TURN == 4
  STOREU V8, (%r8)
  STOREU V7, VEC(%r8)
#endif
  STOREU V6, ((TURN - 2) * VEC)(%r8)
  STOREU V5, ((TURN - 1) * VEC)(%r8)
  STOREU V0, (%r9)
.Ldone:
  RETURN

#if VEC < 64
  .p2align 4
.Lforward_long:
  lea -(TURN * VEC)(%r8), %r10
  .p2align 5
.Lforward_long_turn:
  forward_vectors 0
  forward_vectors TURN
  add $(2 * TURN * VEC), %rsi
  add $(2 * TURN * VEC), %rdi
  cmp %r10, %rdi
  jb .Lforward_long_turn
  cmp %r8, %rdi
  jb .Lforward_turn
  jmp .Lforward_end
#endif

  .p2align 4
.Lalias:
  test $15, %cl
  jz .Lforward_go
  mov %rsi, %rcx
  sub %rdi, %rcx
  cmp %rdx, %rcx
  jb .Lforward_go /* dst below src, overlapping */

.Lbackward:
  LOADU (%rsi), V5
  LOADU VEC(%rsi), V6
#if TURN == 4
  LOADU (2 * VEC)(%rsi), V7
  LOADU (3 * VEC)(%rsi), V8
#endif
  LOADU -VEC(%rsi, %rdx), V0
  lea -VEC(%rdi, %rdx), %r9 /* where the last vector goes */
  lea -1(%rdi, %rdx), %r8
  and $-VEC, %r8 /* aligned, 1..VEC bytes before the end */
  sub %rdi, %rsi
  add %r8, %rsi
  lea (TURN * VEC)(%rdi), %r10
#if VEC < 64
  cmp $LONG, %rdx
  jae .Lbackward_long
#endif
  .p2align 5
.Lbackward_turn:
  backward_vectors 0
  sub $(TURN * VEC), %rsi
  sub $(TURN * VEC), %r8
  cmp %r10, %r8
  ja .Lbackward_turn
.Lbackward_end:
  STOREU V0, (%r9)
  STOREU V5, (%rdi)
  STOREU V6, VEC(%rdi)
#if TURN == 4
  STOREU V7, (2 * VEC)(%rdi)
  STOREU V8, (3 * VEC)(%rdi)
#endif
  RETURN

#if VEC < 64
  .p2align 4
.Lbackward_long:
  lea (TURN * VEC)(%r10), %r11
  .p2align 5
.Lbackward_long_turn:
  backward_vectors 0
  backward_vectors TURN
  sub $(2 * TURN * VEC), %rsi
  sub $(2 * TURN * VEC), %r8
  cmp %r11, %r8
  ja .Lbackward_long_turn
  cmp %r10, %r8
  ja .Lbackward_turn
  jmp .Lbackward_end
#endif

  .p2align 4
.Lrep_movsb:
  cmp LIVE(rep_movsb_max), %rdx
  jae .Lforward
  mov %rcx, %r8 /* dst - src */
  neg %rcx
  cmp %rdx, %rcx
  jb .Lforward /* dst below src, overlapping */
  and $(PAGE - 1), %r8d
  cmp LIVE(rep_movsb_skew), %r8
  jae .Lrep_movsb_go
  test $63, %r8b
  jnz .Lforward
.Lrep_movsb_go:
  /* VEC bytes at each 64-byte step of the head; the rest starts on a line */
  LOADU (%rsi), V0
#if VEC < 64
  LOADU VEC(%rsi), V1
#endif
#if VEC < 32
  LOADU (2 * VEC)(%rsi), V2
  LOADU (3 * VEC)(%rsi), V3
#endif
  mov %rdi, %r9
  lea (%rdi, %rdx), %rcx
  sub %rdi, %rsi
  or $63, %rdi
  inc %rdi
  add %rdi, %rsi
  sub %rdi, %rcx
  rep movsb
  STOREU V0, (%r9)
#if VEC < 64
  STOREU V1, VEC(%r9)
#endif
#if VEC < 32
  STOREU V2, (2 * VEC)(%r9)
  STOREU V3, (3 * VEC)(%r9)
#endif
  RETURN

  .p2align 4
.Lnon_temporal:
  neg %rcx
  cmp %rdx, %rcx
  jb .Lforward /* dst below src, overlapping */
  LOADU (%rsi), V0
#if VEC < 64
  LOADU VEC(%rsi), V1
#endif
#if VEC < 32
  LOADU (2 * VEC)(%rsi), V2
  LOADU (3 * VEC)(%rsi), V3
#endif
  STOREU V0, (%rdi)
#if VEC < 64
  STOREU V1, VEC(%rdi)
#endif
#if VEC < 32
  STOREU V2, (2 * VEC)(%rdi)
  STOREU V3, (3 * VEC)(%rdi)
#endif
  LOADU -(1 * VEC)(%rsi, %rdx), V5
  LOADU -(2 * VEC)(%rsi, %rdx), V6
  LOADU -(3 * VEC)(%rsi, %rdx), V7
  LOADU -(4 * VEC)(%rsi, %rdx), V8
  lea -(4 * VEC)(%rdi, %rdx), %r8
  sub %rdi, %rsi
  or $63, %rdi
  inc %rdi
  add %rdi, %rsi
  .p2align 5
.Lnon_temporal_turn:
  prefetchnta (8 * 64)(%rsi)
#if VEC >= 32
  prefetchnta (9 * 64)(%rsi)
#endif
  LOADU (%rsi), V1
  LOADU VEC(%rsi), V2
  LOADU (2 * VEC)(%rsi), V3
  LOADU (3 * VEC)(%rsi), V4
  add $(4 * VEC), %rsi
  STORENT V1, (%rdi)
  STORENT V2, VEC(%rdi)
  STORENT V3, (2 * VEC)(%rdi)
  STORENT V4, (3 * VEC)(%rdi)
  add $(4 * VEC), %rdi
  cmp %r8, %rdi
  jb .Lnon_temporal_turn
  sfence
  STOREU V8, (%r8)
  STOREU V7, VEC(%r8)
  STOREU V6, (2 * VEC)(%r8)
  STOREU V5, (3 * VEC)(%r8)
  RETURN
END(NAME(fc_memmove_))
