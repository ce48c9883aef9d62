/* SPDX-License-Identifier: MIT */
/*
 * The rest of a vector copy after the small sizes, right for any overlap: r3 result (kept), r4 src, r5 n, r6 dst, r7
 * and r8 the ends of src and dst.
 *
 * An instantiation sets VEC (bytes of a vector: 16 or 32), VEC_SHIFT, V0..V16 (registers), LOAD, STORE (moves at any
 * address).
 *
 *   .. 8 VEC       4 or 8 vectors, the two halves overlapping; all loaded before the first store
 *   above          dst inside (src, src + n): backward loop. Else forward loop. Both copy 8 vectors a turn to
 *                  aligned addresses; the ragged ends are loaded before the loop and stored after it, so that
 *                  a loop that overwrites its own source never needs those bytes again. The last turn may overlap
 *                  the 8 vectors of the far end
 *
 * Registers: r0, r4-r11, ctr, cr0 and the vectors are overwritten.
 */
/* clang-format off */

#if VEC != 16 && VEC != 32
#error "VEC must be 16 or 32"
#endif

#define TURN (8 * VEC)

  /* above 2 VEC */
  cmpldi r5, 8 * VEC
  bgt .Lloops
  LOAD V0, 0(r4)
  LOAD V1, VEC(r4)
  LOAD V2, -1 * VEC(r7)
  LOAD V3, -2 * VEC(r7)
  cmpldi r5, 4 * VEC
  bgt .Lto_8
  /* .. 4 VEC */
  STORE V0, 0(r6)
  STORE V1, VEC(r6)
  STORE V2, -1 * VEC(r8)
  STORE V3, -2 * VEC(r8)
  blr

  .p2align 4
.Lto_8:
  /* .. 8 VEC */
  LOAD V4, 2 * VEC(r4)
  LOAD V5, 3 * VEC(r4)
  LOAD V6, -3 * VEC(r7)
  LOAD V7, -4 * VEC(r7)
  STORE V0, 0(r6)
  STORE V1, VEC(r6)
  STORE V4, 2 * VEC(r6)
  STORE V5, 3 * VEC(r6)
  STORE V2, -1 * VEC(r8)
  STORE V3, -2 * VEC(r8)
  STORE V6, -3 * VEC(r8)
  STORE V7, -4 * VEC(r8)
  blr

  .p2align 4
.Lloops:
  /* above 8 VEC: which way? r9 is to be the bytes of the ragged end that the loop leaves out, 1 .. VEC */
  subf. r0, r4, r6
  beqlr
  cmpld r0, r5
  blt .Lbackward
  LOAD V16, 0(r4)
  clrldi r9, r6, 64 - VEC_SHIFT
  LOAD V8, -8 * VEC(r7)
  subfic r9, r9, VEC
  LOAD V9, -7 * VEC(r7)
  subf r10, r9, r5
  LOAD V10, -6 * VEC(r7)
  addi r10, r10, -1
  LOAD V11, -5 * VEC(r7)
  srdi. r10, r10, VEC_SHIFT + 3
  LOAD V12, -4 * VEC(r7)
  add r4, r4, r9
  LOAD V13, -3 * VEC(r7)
  add r11, r6, r9
  LOAD V14, -2 * VEC(r7)
  LOAD V15, -1 * VEC(r7)
  beq .Lforward_end
  mtctr r10
  .p2align 5
.Lforward_turn:
  LOAD V0, 0(r4)
  LOAD V1, VEC(r4)
  LOAD V2, 2 * VEC(r4)
  LOAD V3, 3 * VEC(r4)
  LOAD V4, 4 * VEC(r4)
  LOAD V5, 5 * VEC(r4)
  LOAD V6, 6 * VEC(r4)
  LOAD V7, 7 * VEC(r4)
  addi r4, r4, TURN
  STORE V0, 0(r11)
  STORE V1, VEC(r11)
  STORE V2, 2 * VEC(r11)
  STORE V3, 3 * VEC(r11)
  STORE V4, 4 * VEC(r11)
  STORE V5, 5 * VEC(r11)
  STORE V6, 6 * VEC(r11)
  STORE V7, 7 * VEC(r11)
  addi r11, r11, TURN
  bdnz .Lforward_turn
.Lforward_end:
  STORE V8, -8 * VEC(r8)
  STORE V9, -7 * VEC(r8)
  STORE V10, -6 * VEC(r8)
  STORE V11, -5 * VEC(r8)
  STORE V12, -4 * VEC(r8)
  STORE V13, -3 * VEC(r8)
  STORE V14, -2 * VEC(r8)
  STORE V15, -1 * VEC(r8)
  STORE V16, 0(r6)
  blr

  .p2align 4
.Lbackward:
  LOAD V16, -VEC(r7)
  addi r9, r8, -1
  LOAD V15, 7 * VEC(r4)
  clrldi r9, r9, 64 - VEC_SHIFT
  LOAD V14, 6 * VEC(r4)
  addi r9, r9, 1
  LOAD V13, 5 * VEC(r4)
  subf r10, r9, r5
  LOAD V12, 4 * VEC(r4)
  addi r10, r10, -1
  LOAD V11, 3 * VEC(r4)
  srdi. r10, r10, VEC_SHIFT + 3
  LOAD V10, 2 * VEC(r4)
  subf r7, r9, r7
  LOAD V9, VEC(r4)
  subf r11, r9, r8
  LOAD V8, 0(r4)
  beq .Lbackward_end
  mtctr r10
  .p2align 5
.Lbackward_turn:
  LOAD V0, -1 * VEC(r7)
  LOAD V1, -2 * VEC(r7)
  LOAD V2, -3 * VEC(r7)
  LOAD V3, -4 * VEC(r7)
  LOAD V4, -5 * VEC(r7)
  LOAD V5, -6 * VEC(r7)
  LOAD V6, -7 * VEC(r7)
  LOAD V7, -8 * VEC(r7)
  addi r7, r7, -TURN
  STORE V0, -1 * VEC(r11)
  STORE V1, -2 * VEC(r11)
  STORE V2, -3 * VEC(r11)
  STORE V3, -4 * VEC(r11)
  STORE V4, -5 * VEC(r11)
  STORE V5, -6 * VEC(r11)
  STORE V6, -7 * VEC(r11)
  STORE V7, -8 * VEC(r11)
  addi r11, r11, -TURN
  bdnz .Lbackward_turn
.Lbackward_end:
  STORE V15, 7 * VEC(r6)
  STORE V14, 6 * VEC(r6)
  STORE V13, 5 * VEC(r6)
  STORE V12, 4 * VEC(r6)
  STORE V11, 3 * VEC(r6)
  STORE V10, 2 * VEC(r6)
  STORE V9, VEC(r6)
  STORE V8, 0(r6)
  STORE V16, -VEC(r8)
  blr
