/* SPDX-License-Identifier: MIT */
/* AVX2, 32-byte vectors; needs avx and avx2. vzeroupper on every path that used a ymm register.
 * Small sizes: exact-width moves. */
#define NAME(prefix) prefix##avx2_exact
#define VEC 32
#define V0 %ymm0
#define V1 %ymm1
#define V2 %ymm2
#define V3 %ymm3
#define V4 %ymm4
#define V5 %ymm5
#define V6 %ymm6
#define V7 %ymm7
#define V8 %ymm8
#define LOADU vmovdqu
#define STOREU vmovdqu
#define STOREA vmovdqa
#define STORENT vmovntdq
#define RETURN vzeroupper; ret
#define SMALL_VEX
#include "small_exact.h"

#include "memmove_vector.h"
