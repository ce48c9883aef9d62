/* SPDX-License-Identifier: MIT */
/* Word copy with dcbt and dcbz on 32-byte lines: only where dcbz was seen to clear just that. */
#include "asm.h"

/* clang-format off */

#if WORD == 8
MACHINE(power4)
#else
MACHINE(ppc)
#endif
#define LINE 32
#include "bulk_lines.h"

VARIANT(cacheline32)
#include "memmove_word.h"
VARIANT_END(cacheline32)
