/* SPDX-License-Identifier: MIT */
/* POWER9, 16-byte vectors at any address; on 64 bits. */
#include "asm.h"

/* clang-format off */

#ifdef __powerpc64__
MACHINE(power9)
#define VEC 16
#define VEC_SHIFT 4
#define LOAD lxv
#define STORE stxv
#define V0 vs0
#define V1 vs1
#define V2 vs2
#define V3 vs3
#define V4 vs4
#define V5 vs5
#define V6 vs6
#define V7 vs7
#define V8 vs8
#define V9 vs9
#define V10 vs10
#define V11 vs11
#define V12 vs12
#define V13 vs13
#define V14 vs32
#define V15 vs33
#define V16 vs34
#include "small_lxvl.h"

VARIANT_SMALL(power9)
#include "memmove_vector.h"
VARIANT_END(power9)
#endif
