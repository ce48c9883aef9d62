/* SPDX-License-Identifier: MIT */
/* AltiVec, 16-byte vectors at aligned addresses: 74xx, 970, e6500. */
#include "asm.h"

/* clang-format off */

#if WORD == 8
MACHINE(power4)
#else
MACHINE(ppc)
#endif
MACHINE(altivec)
#define VLOAD lvx
#define VSTORE stvx
#define V0 v0
#define V1 v1
#define V2 v2
#define V3 v3
#define V4 v4
#define V5 v5
#define V6 v6
#define V7 v7
#define UNALIGNED 0
#include "bulk_vectors.h"

VARIANT(altivec)
#include "memmove_word.h"
VARIANT_END(altivec)
