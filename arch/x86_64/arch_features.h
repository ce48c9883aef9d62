/* SPDX-License-Identifier: MIT */
#ifndef FC_X86_FEATURES_H
#define FC_X86_FEATURES_H

#define FC_FEATURE(name, leaf, reg, bit) FC_FEATURE_##name,
enum fc_feature {
#include "features.def"
  FC_FEATURE_COUNT
};
#undef FC_FEATURE

#define FC_BIT(name) (1ull << FC_FEATURE_##name)

#endif
