/* SPDX-License-Identifier: MIT */
#ifndef FC_POWERPC_FEATURES_H
#define FC_POWERPC_FEATURES_H

#define FC_FEATURE(name, word, mask) FC_FEATURE_##name,
enum fc_feature {
#include "features.def"
  FC_FEATURE_COUNT
};
#undef FC_FEATURE

#define FC_BIT(name) (1ull << FC_FEATURE_##name)

#endif
