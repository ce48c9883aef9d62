/* SPDX-License-Identifier: MIT */
/* AVX-512, 64-byte vectors in zmm16-31; needs avx512f and avx512vl. Those registers leave no upper half dirty.
 * Small sizes: exact-width moves. */
#define NAME(prefix) prefix##avx512_exact
#define VEC 64
#define V0 %zmm16
#define V1 %zmm17
#define V2 %zmm18
#define V3 %zmm19
#define V4 %zmm20
#define V5 %zmm21
#define V6 %zmm22
#define V7 %zmm23
#define V8 %zmm24
#define LOADU vmovdqu64
#define STOREU vmovdqu64
#define STOREA vmovdqa64
#define STORENT vmovntdq
#define RETURN ret
#define SMALL_VEX
#include "small_exact.h"

#include "memmove_vector.h"
