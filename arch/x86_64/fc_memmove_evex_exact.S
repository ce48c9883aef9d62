/* SPDX-License-Identifier: MIT */
/* EVEX-256, 32-byte vectors in ymm16-31; needs avx512f and avx512vl. Those registers leave no upper half dirty.
 * Small sizes: exact-width moves. */
#define NAME(prefix) prefix##evex_exact
#define VEC 32
#define V0 %ymm16
#define V1 %ymm17
#define V2 %ymm18
#define V3 %ymm19
#define V4 %ymm20
#define V5 %ymm21
#define V6 %ymm22
#define V7 %ymm23
#define V8 %ymm24
#define LOADU vmovdqu64
#define STOREU vmovdqu64
#define STOREA vmovdqa64
#define STORENT vmovntdq
#define RETURN ret
#define SMALL_VEX
#include "small_exact.h"

#include "memmove_vector.h"
