/* SPDX-License-Identifier: MIT */
#include "arch/candidates.h"
#include "dispatch/plan.h"

/* No path in the entries that a parameter turns on, and no store past the caches. */
const struct fc_candidates fc_candidates = {
    .small_count = 1,
    .smalls = {{-1, 0}},
    .window_min = -1,
    .window_max = -1,
    .window_skew = -1,
    .non_temporal_min = -1,
    .bulk_min = FC_PARAM_dcbz_min,
    .bulk_count = 2,
    .bulk = {{FC_PARAM_dcbt_ahead, 6, {4, 2, 1, 8, 16, 0}}, {FC_PARAM_touch_buffers, 5, {4, 1, 2, 8, 16}}},
};

int fc_candidates_small(unsigned variant, unsigned small) {
  (void)variant;
  (void)small;
  return 0;
}

unsigned fc_candidates_bulk(unsigned variant, const struct fc_cpu *cpu) {
  static const unsigned char pairs[][2] = {
#ifdef __powerpc64__
      {FC_VARIANT_vsx, FC_VARIANT_vsx_cacheline128},
#endif
      {FC_VARIANT_altivec, FC_VARIANT_cacheline128}, {FC_VARIANT_altivec, FC_VARIANT_cacheline64},
      {FC_VARIANT_altivec, FC_VARIANT_cacheline32},  {FC_VARIANT_word, FC_VARIANT_cacheline128},
      {FC_VARIANT_word, FC_VARIANT_cacheline64},     {FC_VARIANT_word, FC_VARIANT_cacheline32},
  };
  if ((fc_variants[variant].traits & FC_DCBZ) != 0)
    return variant;
  for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    if (pairs[i][0] == variant && fc_variant_usable(pairs[i][1], cpu))
      return pairs[i][1];
  }
  return FC_VARIANT_COUNT;
}
