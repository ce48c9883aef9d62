/* SPDX-License-Identifier: MIT */
#ifndef FC_RESOLVER_H
#define FC_RESOLVER_H

#include <stddef.h>

#include "dispatch/plan.h"

#pragma GCC visibility push(hidden)

/* The resolver behind the library's own IRELATIVE relocation: publishes the plan, returns an address to please the loader. */
void *fc_resolve(void);

/* Puts a plan in force: slots and parameters of fc_live, which must be writable. */
void fc_live_set(const struct fc_plan *plan);

/* The resolvers of fastcopy_memcpy, fastcopy_memmove and fastcopy_mempcpy. */
void *fc_resolve_memcpy(void);
void *fc_resolve_memmove(void);
void *fc_resolve_mempcpy(void);

#pragma GCC visibility pop

#endif
