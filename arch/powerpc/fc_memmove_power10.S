/* SPDX-License-Identifier: MIT */
/* POWER10, paired 16-byte vectors at any address, each register with the next; on 64 bits. */
#include "asm.h"

/* clang-format off */

#ifdef __powerpc64__
MACHINE(power10)
#define VEC 32
#define VEC_SHIFT 5
#define LOAD lxvp
#define STORE stxvp
#define V0 vs0
#define V1 vs2
#define V2 vs4
#define V3 vs6
#define V4 vs8
#define V5 vs10
#define V6 vs12
#define V7 vs32
#define V8 vs34
#define V9 vs36
#define V10 vs38
#define V11 vs40
#define V12 vs42
#define V13 vs44
#define V14 vs46
#define V15 vs48
#define V16 vs50
#include "small_lxvl.h"

VARIANT_SMALL(power10)
#include "memmove_vector.h"
VARIANT_END(power10)
#endif
