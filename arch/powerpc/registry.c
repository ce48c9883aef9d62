/* SPDX-License-Identifier: MIT */
/* The tables of the registry. Early code: no pointers in data, no calls outside. */
#include "arch/variant.h"

#define FC_FEATURE(name, word, mask) {#name},
const struct fc_feature_name fc_feature_names[FC_FEATURE_COUNT] = {
#include "features.def"
};
#undef FC_FEATURE

/* FC_BITS(a, b, ...) is the union of up to six features: an absent one, FC_NAMED_ alone, is a bit that no feature has. */
#define FC_FEATURE(name, word, mask) FC_NAMED_##name = FC_FEATURE_##name,
enum {
#include "features.def"
  FC_NAMED_ = 63
};
#undef FC_FEATURE
#define FC_NAMED_BIT(name) (1ull << FC_NAMED_##name)
#define FC_BITS(a, b, c, d, e, f, ...)                                                                           \
  ((FC_NAMED_BIT(a) | FC_NAMED_BIT(b) | FC_NAMED_BIT(c) | FC_NAMED_BIT(d) | FC_NAMED_BIT(e) | FC_NAMED_BIT(f)) & \
   ~FC_NAMED_BIT())

#define FC_VARIANT(name, traits, ...) {#name, #__VA_ARGS__, FC_BITS(__VA_ARGS__, , , , , , ), traits},
const struct fc_variant fc_variants[FC_VARIANT_COUNT] = {
#include "variants.def"
};
#undef FC_VARIANT

#define FC_PARAM(name, initial, lowest, highest, features, doc) {#name, doc, initial, lowest, highest, features},
const struct fc_param fc_params[FC_PARAM_COUNT] = {
#include "params.def"
};
#undef FC_PARAM
