/* SPDX-License-Identifier: MIT */
/* Feature names. Early code: no absolute relocation, no call outside. */
#include "dispatch/cpu.h"

uint64_t fc_feature_hash(uint64_t features) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    if (!(features >> i & 1))
      continue;
    uint64_t one = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = fc_feature_names[i].name; *c != '\0'; c++)
      one = (one ^ (unsigned char)*c) * 0x100000001b3u;
    hash ^= one;
  }
  return hash;
}

uint64_t fc_feature_find(const char *name, unsigned long length) {
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    const char *known = fc_feature_names[i].name;
    unsigned long at = 0;
    while (at < length && known[at] != '\0' && known[at] == name[at])
      at++;
    if (at == length && known[at] == '\0')
      return 1ull << i;
  }
  return 0;
}
