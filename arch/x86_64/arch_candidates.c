/* SPDX-License-Identifier: MIT */
#include "arch/candidates.h"

const struct fc_candidates fc_candidates = {
    /* masked moves of all that one vector takes, of half of it, and of the sizes that classic code needs most branches
       for; moves of exact width, whose stores forward */
    .small_count = 5,
    .smalls = {{-1, 0},
               {FC_PARAM_masked_below, 65},
               {FC_PARAM_masked_below, 33},
               {FC_PARAM_masked_below, 17},
               {FC_PARAM_exact_small, 1}},
    .window_min = FC_PARAM_rep_movsb_min,
    .window_max = FC_PARAM_rep_movsb_max,
    .window_skew = FC_PARAM_rep_movsb_skew,
    .non_temporal_min = FC_PARAM_non_temporal_min,
    .bulk_min = -1,
};

int fc_candidates_small(unsigned variant, unsigned small) {
  uint64_t features = fc_variants[variant].features;
  uint64_t masked = fc_params[FC_PARAM_masked_below].features;
  int is_masked = (features & masked) == masked;
  if (fc_candidates.smalls[small].param == FC_PARAM_exact_small)
    return !is_masked; /* such a variant differs in what would never reach it */
  /* variants of the same instruction set: the wider ones are the same for what the small path leaves to them */
  return is_masked || variant == FC_VARIANT_evex || variant == FC_VARIANT_avx512;
}

unsigned fc_candidates_bulk(unsigned variant, const struct fc_cpu *cpu) {
  (void)variant;
  (void)cpu;
  return FC_VARIANT_COUNT;
}
