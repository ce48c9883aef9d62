/* SPDX-License-Identifier: MIT */
/*
 * void *fc_memmove_<NAME>(void *dst, const void *src, size_t n), right for any overlap.
 * void *fc_mempcpy_<NAME>(void *dst, const void *src, size_t n), returns dst + n.
 * fc_body_<NAME>: the same with the result already in rax, which is what the slots hold.
 *
 * An instantiation sets NAME(prefix), VEC (bytes of a vector: 16, 32, 64), V0..V8 (vector registers; for 16 bytes
 * V9..V12 too), LOADU, STOREU, STOREA, STORENT (moves: unaligned, aligned, non-temporal), RETURN (vzeroupper first, where
 * needed), and SMALL: a macro that copies 0..2 VEC bytes and returns, and falls through above. Where the loops are to use
 * narrower vectors it sets LOOP_VEC, W0..W12 and the moves LOOP_LOADU and so on.
 *
 *   0 .. 2 VEC     SMALL
 *   .. 8 VEC       4 or 8 vectors, the two halves overlapping; all loaded before the first store
 *   above          dst inside (src, src + n): backward loop. Else forward loop, but from LONG bytes on backward where a
 *                  load would follow a store to the same place in another page. Both copy TURN vectors a turn, narrow
 *                  ones twice as many from LONG, to aligned addresses; the ragged ends are loaded before the loop and
 *                  stored after it, so that a loop that overwrites its own source never needs those bytes again
 *   rep_movsb_min .. rep_movsb_max, no overlap         64 bytes by vector, then rep movsb to an aligned dst
 *   from non_temporal_min, no overlap                  non-temporal loop over whole cache lines, then sfence
 *
 * Registers: rdi dst, rsi src, rdx n, rax result (kept); rcx, r8-r11, V0..V12 and xmm0-4 are overwritten.
 */
#include "asm.h"

/* clang-format off */

#if VEC != 16 && VEC != 32 && VEC != 64
#error "VEC must be 16, 32 or 64"
#endif

/* The loops, in vectors of their own where the instantiation defines LOOP_VEC. */
#ifndef LOOP_VEC
#define LOOP_VEC VEC
#define W0 V0
#define W1 V1
#define W2 V2
#define W3 V3
#define W4 V4
#define W5 V5
#define W6 V6
#define W7 V7
#define W8 V8
#define W9 V9
#define W10 V10
#define W11 V11
#define W12 V12
#define LOOP_LOADU LOADU
#define LOOP_STOREU STOREU
#define LOOP_STOREA STOREA
#define LOOP_STORENT STORENT
#define LOOP_RETURN RETURN
#endif

/* Vectors a turn. What the last turn and the ragged end have in common is copied twice, so not more. */
#define TURN 4
#if LOOP_VEC == 16
#define LONG_GROUPS 2 /* TURN that many times */
#else
#define LONG_GROUPS 1
#endif

/*
 * From this size it pays to look at the addresses, and to take twice as many of the narrow vectors a turn: a predictor
 * that counts the turns of a loop, and so knows its end, counts to a few dozen, and what is copied twice no longer
 * matters. One bound for both, since sizes on either side of a bound cost a misprediction.
 */
#define LONG 1024

/*
 * Above this size, which the first-level caches of 32 KB just hold twice, the source is fetched some lines ahead: where
 * wide vectors are stored in halves that was seen to gain 5 % in the next levels; nearer it costs as much.
 */
#if LOOP_VEC == 16
#define FAR 16384
#endif

/*
 * A load that comes less than this behind a store, in the low 12 bits of the address, may be held up until it is clear
 * that they differ: so with dst that far after src, modulo a page, each turn of the forward loop would wait. Not where
 * the distance is a multiple of 16: there each load matches one store or none.
 */
#define ALIAS 256

#define PAGE 4096

/* One turn of a loop, `from` vectors on; all loads first, since source and destination may overlap. */
.macro forward_vectors from
  LOOP_LOADU ((\from + 0) * LOOP_VEC)(%rsi), W1
  LOOP_LOADU ((\from + 1) * LOOP_VEC)(%rsi), W2
  LOOP_LOADU ((\from + 2) * LOOP_VEC)(%rsi), W3
  LOOP_LOADU ((\from + 3) * LOOP_VEC)(%rsi), W4
  LOOP_STOREA W1, ((\from + 0) * LOOP_VEC)(%rdi)
  LOOP_STOREA W2, ((\from + 1) * LOOP_VEC)(%rdi)
  LOOP_STOREA W3, ((\from + 2) * LOOP_VEC)(%rdi)
  LOOP_STOREA W4, ((\from + 3) * LOOP_VEC)(%rdi)
.endm

.macro backward_vectors from
  LOOP_LOADU -((\from + 1) * LOOP_VEC)(%rsi), W1
  LOOP_LOADU -((\from + 2) * LOOP_VEC)(%rsi), W2
  LOOP_LOADU -((\from + 3) * LOOP_VEC)(%rsi), W3
  LOOP_LOADU -((\from + 4) * LOOP_VEC)(%rsi), W4
  LOOP_STOREA W1, -((\from + 1) * LOOP_VEC)(%r8)
  LOOP_STOREA W2, -((\from + 2) * LOOP_VEC)(%r8)
  LOOP_STOREA W3, -((\from + 3) * LOOP_VEC)(%r8)
  LOOP_STOREA W4, -((\from + 4) * LOOP_VEC)(%r8)
.endm

/* Applies `op` to the vectors of the ragged end of a loop that takes `groups` times TURN of them a turn, outermost first. */
.macro end_vectors op, groups
  \op \groups, 1, W5
  \op \groups, 2, W6
  \op \groups, 3, W7
  \op \groups, 4, W8
  .if \groups == 2
  \op 2, 5, W9
  \op 2, 6, W10
  \op 2, 7, W11
  \op 2, 8, W12
  .endif
.endm
.macro load_last groups, i, reg
  LOOP_LOADU -(\i * LOOP_VEC)(%rsi, %rdx), \reg
.endm
.macro store_last groups, i, reg
  LOOP_STOREU \reg, ((\groups * TURN - \i) * LOOP_VEC)(%r8)
.endm
.macro load_first groups, i, reg
  LOOP_LOADU ((\i - 1) * LOOP_VEC)(%rsi), \reg
.endm
.macro store_first groups, i, reg
  LOOP_STOREU \reg, ((\i - 1) * LOOP_VEC)(%rdi)
.endm

.macro forward_loop groups, prefetch=0
  LOOP_LOADU (%rsi), W0
  end_vectors load_last, \groups
  lea -(\groups * TURN * LOOP_VEC)(%rdi, %rdx), %r8 /* where the last vectors go */
  mov %rdi, %r9
  sub %rdi, %rsi
  or $(LOOP_VEC - 1), %rdi
  inc %rdi /* aligned, 1..LOOP_VEC bytes on */
  add %rdi, %rsi
  .p2align 5
1:
  .if \prefetch
  prefetcht0 (8 * 64)(%rsi)
  prefetcht0 (9 * 64)(%rsi)
  .endif
  forward_vectors 0
  .if \groups == 2
  forward_vectors TURN
  .endif
  add $(\groups * TURN * LOOP_VEC), %rsi
  add $(\groups * TURN * LOOP_VEC), %rdi
  cmp %r8, %rdi
  jb 1b
  end_vectors store_last, \groups
  LOOP_STOREU W0, (%r9)
  LOOP_RETURN
.endm

.macro backward_loop groups
  end_vectors load_first, \groups
  LOOP_LOADU -LOOP_VEC(%rsi, %rdx), W0
  lea -LOOP_VEC(%rdi, %rdx), %r9 /* where the last vector goes */
  lea -1(%rdi, %rdx), %r8
  and $-LOOP_VEC, %r8 /* aligned, 1..LOOP_VEC bytes before the end */
  sub %rdi, %rsi
  add %r8, %rsi
  lea (\groups * TURN * LOOP_VEC)(%rdi), %r10
  .p2align 5
1:
  backward_vectors 0
  .if \groups == 2
  backward_vectors TURN
  .endif
  sub $(\groups * TURN * LOOP_VEC), %rsi
  sub $(\groups * TURN * LOOP_VEC), %r8
  cmp %r10, %r8
  ja 1b
  LOOP_STOREU W0, (%r9)
  end_vectors store_first, \groups
  LOOP_RETURN
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
  cmp $LONG, %rdx
  jae .Lforward_long
  forward_loop 1

  .p2align 4
.Lforward_long:
  mov %edi, %ecx
  sub %esi, %ecx
  and $(PAGE - 1), %ecx
  cmp $ALIAS, %ecx
  jb .Lalias
.Lforward_go:
#ifdef FAR
  cmp $FAR, %rdx
  ja .Lforward_far
#endif
  forward_loop LONG_GROUPS

#ifdef FAR
  .p2align 4
.Lforward_far:
  forward_loop LONG_GROUPS, 1
#endif

.Ldone:
  LOOP_RETURN

  .p2align 4
.Lalias:
  test $15, %cl
  jz .Lforward_go
  mov %rsi, %rcx
  sub %rdi, %rcx
  cmp %rdx, %rcx
  jb .Lforward_go /* dst below src, overlapping */
.Lbackward_long:
  backward_loop LONG_GROUPS

  .p2align 4
.Lbackward:
  cmp $LONG, %rdx
  jae .Lbackward_long
  backward_loop 1

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
  /* a vector at each 64-byte step of the head; the rest starts on a line */
  LOOP_LOADU (%rsi), W0
#if LOOP_VEC < 64
  LOOP_LOADU LOOP_VEC(%rsi), W1
#endif
#if LOOP_VEC < 32
  LOOP_LOADU (2 * LOOP_VEC)(%rsi), W2
  LOOP_LOADU (3 * LOOP_VEC)(%rsi), W3
#endif
  mov %rdi, %r9
  lea (%rdi, %rdx), %rcx
  sub %rdi, %rsi
  or $63, %rdi
  inc %rdi
  add %rdi, %rsi
  sub %rdi, %rcx
  rep movsb
  LOOP_STOREU W0, (%r9)
#if LOOP_VEC < 64
  LOOP_STOREU W1, LOOP_VEC(%r9)
#endif
#if LOOP_VEC < 32
  LOOP_STOREU W2, (2 * LOOP_VEC)(%r9)
  LOOP_STOREU W3, (3 * LOOP_VEC)(%r9)
#endif
  LOOP_RETURN

  .p2align 4
.Lnon_temporal:
  neg %rcx
  cmp %rdx, %rcx
  jb .Lforward /* dst below src, overlapping */
  LOOP_LOADU (%rsi), W0
#if LOOP_VEC < 64
  LOOP_LOADU LOOP_VEC(%rsi), W1
#endif
#if LOOP_VEC < 32
  LOOP_LOADU (2 * LOOP_VEC)(%rsi), W2
  LOOP_LOADU (3 * LOOP_VEC)(%rsi), W3
#endif
  LOOP_STOREU W0, (%rdi)
#if LOOP_VEC < 64
  LOOP_STOREU W1, LOOP_VEC(%rdi)
#endif
#if LOOP_VEC < 32
  LOOP_STOREU W2, (2 * LOOP_VEC)(%rdi)
  LOOP_STOREU W3, (3 * LOOP_VEC)(%rdi)
#endif
  LOOP_LOADU -(1 * LOOP_VEC)(%rsi, %rdx), W5
  LOOP_LOADU -(2 * LOOP_VEC)(%rsi, %rdx), W6
  LOOP_LOADU -(3 * LOOP_VEC)(%rsi, %rdx), W7
  LOOP_LOADU -(4 * LOOP_VEC)(%rsi, %rdx), W8
  lea -(4 * LOOP_VEC)(%rdi, %rdx), %r8
  sub %rdi, %rsi
  or $63, %rdi
  inc %rdi
  add %rdi, %rsi
  .p2align 5
.Lnon_temporal_turn:
  prefetchnta (8 * 64)(%rsi)
#if LOOP_VEC >= 32
  prefetchnta (9 * 64)(%rsi)
#endif
  LOOP_LOADU (%rsi), W1
  LOOP_LOADU LOOP_VEC(%rsi), W2
  LOOP_LOADU (2 * LOOP_VEC)(%rsi), W3
  LOOP_LOADU (3 * LOOP_VEC)(%rsi), W4
  add $(4 * LOOP_VEC), %rsi
  LOOP_STORENT W1, (%rdi)
  LOOP_STORENT W2, LOOP_VEC(%rdi)
  LOOP_STORENT W3, (2 * LOOP_VEC)(%rdi)
  LOOP_STORENT W4, (3 * LOOP_VEC)(%rdi)
  add $(4 * LOOP_VEC), %rdi
  cmp %r8, %rdi
  jb .Lnon_temporal_turn
  sfence
  LOOP_STOREU W8, (%r8)
  LOOP_STOREU W7, LOOP_VEC(%r8)
  LOOP_STOREU W6, (2 * LOOP_VEC)(%r8)
  LOOP_STOREU W5, (3 * LOOP_VEC)(%r8)
  LOOP_RETURN
END(NAME(fc_memmove_))
