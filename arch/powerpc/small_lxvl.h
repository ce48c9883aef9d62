/* SPDX-License-Identifier: MIT */
/*
 * The small-size strategy of POWER9 and later: 0 to 16 bytes by one load and one store whose length stands in the top
 * byte of a register, without a branch on the size: nothing outside is touched, and nothing at all when n = 0. Above,
 * pairs of overlapping vectors, both loaded before the first store. Copies 0 .. 2 VEC bytes, falls through above.
 *
 * The mempcpy stands apart from the memmove, whose shortest way uses r3 as dst.
 * r7 and r8 are the ends of src and dst from .Labove_16 on.
 */
/* clang-format off */

#define VARIANT_SMALL(name)                                                                                            \
  MEMPCPY(name, to_16 r6, .Labove_16);                                                                                 \
  ENTRY(fc_memmove_##name);                                                                                            \
  SLOTS_LEAD_TO_VARIANT(name);                                                                                         \
  to_16 r3, .Lmemmove_above_16;                                                                                        \
  .p2align 4;                                                                                                          \
  .Lmemmove_above_16:                                                                                                  \
  mr r6, r3;                                                                                                           \
  .Labove_16:                                                                                                          \
  to_2_vectors

.macro to_16 dst, above
  cmpldi r5, 16
  sldi r0, r5, 56
  bgt \above
  lxvl vs0, r4, r0
  stxvl vs0, \dst, r0
  blr
.endm

.macro to_2_vectors
  add r7, r4, r5
  add r8, r6, r5
#if VEC == 32
  cmpldi r5, 64
  bgt .Labove_small
  cmpldi r5, 32
  bgt .Lto_64
#else
  cmpldi r5, 32
  bgt .Labove_small
#endif
  /* 17 to 32 bytes */
  lxv vs0, 0(r4)
  lxv vs1, -16(r7)
  stxv vs0, 0(r6)
  stxv vs1, -16(r8)
  blr
#if VEC == 32
  .p2align 4
.Lto_64:
  /* 33 to 64 bytes */
  LOAD V0, 0(r4)
  LOAD V1, -VEC(r7)
  STORE V0, 0(r6)
  STORE V1, -VEC(r8)
  blr
#endif

  .p2align 4
.Labove_small:
.endm
