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

/* A list of ranges that grows upward from size 0, and stops growing when it is full. */
struct fc_ranges {
  struct fc_range *out;
  size_t count, cap;
  size_t done; /* sizes below this are told */
};

/* The next range, up to `below`; none when it is empty. */
void fc_ranges_add(struct fc_ranges *ranges, size_t below, const char *why, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Fills out[] with the ranges of sizes that are copied in one way under the plan, in order and without gaps; at
 * most cap of them, FC_RANGES_MAX are enough. Returns how many.
 */
size_t fc_explain(const struct fc_plan *plan, int for_memmove, struct fc_range out[], size_t cap);

#endif
