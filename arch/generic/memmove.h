/* SPDX-License-Identifier: MIT */
#ifndef FC_GENERIC_MEMMOVE_H
#define FC_GENERIC_MEMMOVE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

void *fc_memmove_generic(void *dst, const void *src, size_t n);

#pragma GCC visibility pop

#endif
