/* SPDX-License-Identifier: MIT */
#include "arch/candidates.h"

const struct fc_candidates fc_candidates = {
    .small = FC_PARAM_masked_below,
    /* all that one masked vector takes, half of it, and the sizes that classic code needs most branches for */
    .small_count = 4,
    .small_values = {0, 65, 33, 17},
    .window_min = FC_PARAM_rep_movsb_min,
    .window_max = FC_PARAM_rep_movsb_max,
    .window_skew = FC_PARAM_rep_movsb_skew,
    .non_temporal_min = FC_PARAM_non_temporal_min,
    .bulk_min = -1,
};

int fc_candidates_small(unsigned variant) {
  /* variants of the same instruction set: the wider ones are the same for what the small path leaves to them */
  uint64_t features = fc_variants[variant].features;
  uint64_t needed = fc_params[FC_PARAM_masked_below].features;
  return (features & needed) == needed || variant == FC_VARIANT_evex || variant == FC_VARIANT_avx512;
}

unsigned fc_candidates_bulk(unsigned variant, const struct fc_cpu *cpu) {
  (void)variant;
  (void)cpu;
  return FC_VARIANT_COUNT;
}
