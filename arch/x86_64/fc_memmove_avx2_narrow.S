/* SPDX-License-Identifier: MIT */
/* AVX2, 32-byte vectors to 256 bytes and loops of 16-byte ones, for CPUs that store a wide vector in halves; needs avx
 * and avx2. vzeroupper on every path that used a ymm register, which the loops do not. Small sizes: branchy. */
#define NAME(prefix) prefix##avx2_narrow
#define VEC 32
#define V0 %ymm0
#define V1 %ymm1
#define V2 %ymm2
#define V3 %ymm3
#define V4 %ymm4
#define V5 %ymm5
#define V6 %ymm6
#define V7 %ymm7
#define LOADU vmovdqu
#define STOREU vmovdqu
#define LOOP_VEC 16
#define W0 %xmm0
#define W1 %xmm1
#define W2 %xmm2
#define W3 %xmm3
#define W4 %xmm4
#define W5 %xmm5
#define W6 %xmm6
#define W7 %xmm7
#define W8 %xmm8
#define W9 %xmm9
#define W10 %xmm10
#define W11 %xmm11
#define W12 %xmm12
#define LOOP_LOADU vmovdqu
#define LOOP_STOREU vmovdqu
#define LOOP_STOREA vmovdqa
#define LOOP_STORENT vmovntdq
#define LOOP_RETURN ret
#define RETURN vzeroupper; ret
#define X0 %xmm0
#define X1 %xmm1
#define LOADX vmovdqu
#define STOREX vmovdqu
#include "small_branchy.h"

#include "memmove_vector.h"
