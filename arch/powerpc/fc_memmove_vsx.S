/* SPDX-License-Identifier: MIT */
/* VSX of POWER7 and POWER8, 16-byte vectors at any address; on 64 bits. Their order of bytes does not matter here. */
#include "asm.h"

/* clang-format off */

#ifdef __powerpc64__
MACHINE(power7)
#define VLOAD lxvd2x
#define VSTORE stxvd2x
#define V0 vs0
#define V1 vs1
#define V2 vs2
#define V3 vs3
#define V4 vs4
#define V5 vs5
#define V6 vs6
#define V7 vs7
#define UNALIGNED 1
#include "bulk_vectors.h"

VARIANT(vsx)
#include "memmove_word.h"
VARIANT_END(vsx)
#endif
