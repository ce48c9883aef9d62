/* SPDX-License-Identifier: MIT */
/* Copy with dcbt and dcbz on 128-byte lines by VSX vectors: only where dcbz was seen to clear just that; on 64 bits. */
#include "asm.h"

/* clang-format off */

#ifdef __powerpc64__
MACHINE(power7)
#define LINE 128
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
#include "bulk_lines.h"

VARIANT(vsx_cacheline128)
#include "memmove_word.h"
VARIANT_END(vsx_cacheline128)
#endif
