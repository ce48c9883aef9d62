/* SPDX-License-Identifier: MIT */
/* What a plan means, in words: for fastcopy-tune, never part of the library. */
#ifndef FC_EXPLAIN_H
#define FC_EXPLAIN_H

#include <stddef.h>

#include "dispatch/plan.h"

#define FC_RANGES_MAX 32

struct fc_range {
  size_t from, below; /* bytes; below is SIZE_MAX where there is no end */
  char what[128];     /* how these sizes are copied */
  char why[64];       /* what sets the bounds: a parameter of the plan, or a size class of the variant */
};

/*
 * Fills out[] with the ranges of sizes that are copied in one way under the plan, in order and without gaps; at
 * most cap of them, FC_RANGES_MAX are enough. Returns how many.
 */
size_t fc_explain(const struct fc_plan *plan, int for_memmove, struct fc_range out[], size_t cap);

#endif
