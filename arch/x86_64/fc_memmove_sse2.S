/* SPDX-License-Identifier: MIT */
/* SSE2, 16-byte vectors: the baseline, legal on every x86_64. Small sizes: branchy. */
#define NAME(prefix) prefix##sse2
#define VEC 16
#define V0 %xmm0
#define V1 %xmm1
#define V2 %xmm2
#define V3 %xmm3
#define V4 %xmm4
#define V5 %xmm5
#define V6 %xmm6
#define V7 %xmm7
#define V8 %xmm8
#define V9 %xmm9
#define V10 %xmm10
#define V11 %xmm11
#define V12 %xmm12
#define LOADU movups
#define STOREU movups
#define STOREA movaps
#define STORENT movntps
#define RETURN ret
#include "small_branchy.h"

#include "memmove_vector.h"
