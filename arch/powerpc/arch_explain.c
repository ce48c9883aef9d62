/* SPDX-License-Identifier: MIT */
/* The size classes of memmove_word.h, memmove_vector.h, the bulk_ and the small_ files, in words. */
#include "arch/explain.h"

#define WORD sizeof(size_t)
#define STEPS "to aligned stores; downward where dst lies inside the source"

enum bulk { WORDS, VECTORS, LINES };

/* One row for each variant made from memmove_word.h, and the vector size of those from memmove_vector.h. */
static const struct shape {
  enum bulk bulk;
  unsigned line; /* bytes that dcbz clears */
  unsigned vec;
} shapes[FC_VARIANT_COUNT] = {
    [FC_VARIANT_altivec] = {VECTORS, 0, 0},    [FC_VARIANT_cacheline32] = {LINES, 32, 0},
    [FC_VARIANT_cacheline64] = {LINES, 64, 0}, [FC_VARIANT_cacheline128] = {LINES, 128, 0},
#ifdef __powerpc64__
    [FC_VARIANT_power10] = {WORDS, 0, 32},     [FC_VARIANT_power9] = {WORDS, 0, 16},
    [FC_VARIANT_vsx] = {VECTORS, 0, 0},        [FC_VARIANT_vsx_cacheline128] = {LINES, 128, 0},
#endif
};

static const char size_class[] = "size class of the variant";

/* Up to `end`: the first is `width` bytes or more. */
static void add_pairs(struct fc_ranges *list, size_t width, size_t end) {
  for (; width < end; width *= 2)
    fc_ranges_add(list, 2 * width + (2 * width == end), size_class, "two moves of %zu bytes, overlapping", width);
}

static void add_small_words(struct fc_ranges *list) {
  fc_ranges_add(list, 1, size_class, "nothing to copy");
  fc_ranges_add(list, 2, size_class, "one byte");
  add_pairs(list, 2, 2 * WORD);
  fc_ranges_add(list, 4 * WORD + 1, size_class, "four words of %zu bytes, all loaded before the first store", WORD);
  fc_ranges_add(list, 8 * WORD + 1, size_class, "eight words of %zu bytes, all loaded before the first store", WORD);
}

static void add_words(struct fc_ranges *list, const size_t params[FC_PARAM_COUNT], const struct shape *shape) {
  add_small_words(list);
  if (shape->bulk == VECTORS) {
    fc_ranges_add(list, 128, size_class, "words, eight a turn, " STEPS);
    fc_ranges_add(list, SIZE_MAX, size_class, "vectors of 16 bytes, eight a turn%s, " STEPS,
                  params[FC_PARAM_cacheable] != 0 ? "" : ", no access unaligned");
  } else if (shape->bulk == LINES) {
    fc_ranges_add(list, params[FC_PARAM_dcbz_min], "below dcbz_min", "words, eight a turn, " STEPS);
    fc_ranges_add(list, SIZE_MAX, "from dcbz_min",
                  "lines of %u bytes: dcbt %zu lines ahead, dcbz, stores; words where too near", shape->line,
                  params[FC_PARAM_dcbt_ahead]);
  } else {
    fc_ranges_add(list, SIZE_MAX, size_class, "words, eight a turn, " STEPS);
  }
}

static void add_vectors(struct fc_ranges *list, size_t vec) {
  fc_ranges_add(list, 17, size_class, "one load and one store of just that length, without a branch on it");
  add_pairs(list, 16, 2 * vec);
  fc_ranges_add(list, 4 * vec + 1, size_class, "four vectors of %zu bytes, all loaded before the first store", vec);
  fc_ranges_add(list, 8 * vec + 1, size_class, "eight vectors of %zu bytes, all loaded before the first store", vec);
  fc_ranges_add(list, SIZE_MAX, size_class, "vectors of %zu bytes, eight a turn, " STEPS, vec);
}

size_t fc_explain(const struct fc_plan *plan, int for_memmove, struct fc_range out[], size_t cap) {
  struct fc_ranges list = {.out = out, .cap = cap};
  unsigned variant = for_memmove ? plan->memmove_variant : plan->memcpy_variant;
  /* what the entries copy looks the same for all */
  if (FC_SLOT_LEAST != 0)
    add_small_words(&list);
  if (variant == FC_VARIANT_generic) {
    fc_ranges_add(&list, 4 * WORD, size_class, "bytes");
    fc_ranges_add(&list, SIZE_MAX, size_class, "words of %zu bytes, none unaligned, " STEPS, WORD);
  } else if (shapes[variant].vec != 0) {
    add_vectors(&list, shapes[variant].vec);
  } else {
    add_words(&list, plan->params, &shapes[variant]);
  }
  return list.count;
}
