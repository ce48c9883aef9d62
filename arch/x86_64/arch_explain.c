/* SPDX-License-Identifier: MIT */
/* The size classes of entry.S, memmove_vector.h and the small_ files, in words. */
#include "arch/explain.h"

#include <stdio.h>

enum small { OTHER, BRANCHY, MASKED };

static const struct shape {
  unsigned vec; /* bytes of a vector */
  enum small small;
} shapes[FC_VARIANT_COUNT] = {
#define FC_VARIANT(name, traits, vec, small, ...) {vec, small},
#include "variants.def"
#undef FC_VARIANT
};

static void add_small(struct fc_ranges *list, size_t vec, enum small small, const char *why) {
  if (small == MASKED) {
    fc_ranges_add(list, vec + 1, why, "one masked load and store");
  } else {
    fc_ranges_add(list, 1, why, "nothing to copy");
    fc_ranges_add(list, 2, why, "one byte");
    for (size_t width = 2; width < vec; width *= 2)
      fc_ranges_add(list, 2 * width, why, "two moves of %zu bytes, overlapping", width);
  }
  fc_ranges_add(list, 2 * vec + 1, why, "two vectors of %zu bytes, overlapping", vec);
}

static void add_loops(struct fc_ranges *list, const size_t params[FC_PARAM_COUNT], size_t vec, const char *why) {
  size_t rep_from = params[FC_PARAM_rep_movsb_min], rep_below = params[FC_PARAM_rep_movsb_max];
  size_t non_temporal = params[FC_PARAM_non_temporal_min];
  if (rep_below > non_temporal)
    rep_below = non_temporal;

  char loop[160];
  snprintf(loop, sizeof loop,
           "loop, four vectors of %zu bytes a turn, stores aligned; downward where dst lies inside the source or, in a "
           "page, a little after it",
           vec);
  if (rep_from < rep_below) {
    fc_ranges_add(list, rep_from, why, "%s", loop);
    if (params[FC_PARAM_rep_movsb_skew] != 0)
      fc_ranges_add(
          list, rep_below, "from rep_movsb_min, below rep_movsb_max and non_temporal_min",
          "rep movsb; the loop for overlapping regions, and where (dst - src) mod 4096 is below %zu and no multiple of "
          "64",
          params[FC_PARAM_rep_movsb_skew]);
    else
      fc_ranges_add(list, rep_below, "from rep_movsb_min, below rep_movsb_max and non_temporal_min",
                    "rep movsb; the loop for overlapping regions");
  }
  fc_ranges_add(list, non_temporal, why, "%s", loop);
  fc_ranges_add(list, SIZE_MAX, "from non_temporal_min",
                "non-temporal stores, past the caches; the loop for overlapping regions");
}

size_t fc_explain(const struct fc_plan *plan, int for_memmove, struct fc_range out[], size_t cap) {
  struct fc_ranges list = {.out = out, .cap = cap};
  unsigned variant = for_memmove ? plan->memmove_variant : plan->memcpy_variant;
  if (plan->params[FC_PARAM_exact_small] != 0) {
    const char *here = "exact_small is set";
    fc_ranges_add(&list, 1, here, "nothing to copy");
    fc_ranges_add(&list, 64, here,
                  "in the entry point: a move of each width from 32 bytes to 1; those above the size go to scratch, "
                  "without a branch");
  }
  fc_ranges_add(&list, plan->params[FC_PARAM_masked_below], "below masked_below",
                "in the entry point: one masked load and store");
  if (variant == FC_VARIANT_rep_movsb) {
    fc_ranges_add(&list, SIZE_MAX, "the variant has no other way",
                  "rep movsb; the variant sse2 where dst lies inside the source");
  } else if (variant == FC_VARIANT_generic) {
    const char *why = "size class of the variant";
    fc_ranges_add(&list, 4 * sizeof(size_t), why, "bytes");
    fc_ranges_add(&list, SIZE_MAX, why, "words of %zu bytes, stores aligned; downward where dst lies inside the source",
                  sizeof(size_t));
  } else if (shapes[variant].small == OTHER) {
    fc_ranges_add(&list, SIZE_MAX, "", "as the variant does it");
  } else {
    size_t vec = shapes[variant].vec;
    const char *why = "size class of the variant";
    add_small(&list, vec, shapes[variant].small, why);
    fc_ranges_add(&list, 4 * vec + 1, why, "four vectors of %zu bytes, all loaded before the first store", vec);
    fc_ranges_add(&list, 8 * vec + 1, why, "eight vectors of %zu bytes, all loaded before the first store", vec);
    add_loops(&list, plan->params, variant == FC_VARIANT_avx2_narrow ? 16 : vec, why);
  }
  return list.count;
}
