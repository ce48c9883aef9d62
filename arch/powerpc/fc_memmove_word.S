/* SPDX-License-Identifier: MIT */
/* Word copy with unaligned loads and aligned stores: every PowerPC. */
#include "asm.h"

/* clang-format off */

#if WORD == 8
MACHINE(power4)
#else
MACHINE(ppc)
#endif

VARIANT(word)
#include "memmove_word.h"
VARIANT_END(word)
