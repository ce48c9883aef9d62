/* SPDX-License-Identifier: MIT */
/*
 * What calibration may change besides the variant, in arch/<architecture>/arch_candidates.c. Part of
 * fastcopy-tune, not of the library.
 */
#ifndef FC_CANDIDATES_H
#define FC_CANDIDATES_H

#include "arch/variant.h"

#define FC_SMALL_PATHS_MOST 6
#define FC_BULK_PARAMS_MOST 4
#define FC_BULK_VALUES_MOST 6

/* A number of a bulk loop; the values that are tried besides the built-in one, in the order of preference. */
struct fc_candidate_param {
  int param;
  unsigned count;
  size_t values[FC_BULK_VALUES_MOST];
};

/* A path for small sizes in the entry itself, which this value of a parameter turns on. */
struct fc_candidate_small {
  int param;
  size_t value;
};

/* Parameters by index; -1 where the architecture has nothing of the kind. */
struct fc_candidates {
  /* in the order of preference; the first is none */
  unsigned small_count;
  struct fc_candidate_small smalls[FC_SMALL_PATHS_MOST];

  /* a way of copying that is used from window_min up and below window_max */
  int window_min, window_max;
  /* and is left out when (dst - src) mod 4096 is below this and no multiple of 64 */
  int window_skew;

  /* stores past the cache from this size up */
  int non_temporal_min;

  /* another bulk loop from this size up, in variants of their own that are like others for small sizes */
  int bulk_min;
  /* what such a loop depends on: decided one after another, before bulk_min */
  unsigned bulk_count;
  struct fc_candidate_param bulk[FC_BULK_PARAMS_MOST];
};
extern const struct fc_candidates fc_candidates;

/* Is smalls[small] worth a try in front of this variant? Such pairs are many, and each takes measuring time. */
int fc_candidates_small(unsigned variant, unsigned small);

/*
 * The variant with another bulk loop that is like this one for small sizes and that the CPU can run: itself where it
 * has such a loop, FC_VARIANT_COUNT where there is none.
 */
unsigned fc_candidates_bulk(unsigned variant, const struct fc_cpu *cpu);

#endif
