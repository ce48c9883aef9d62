/* SPDX-License-Identifier: MIT */
/* Feature names. Early code: no absolute relocation, no call outside. */
#include "dispatch/cpu.h"

/* A bit that wanders, not a shift by i: where a word has 32 bits that may be a call of the compiler's runtime. */
uint64_t fc_feature_hash(uint64_t features) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++, features >>= 1) {
    if (!(features & 1))
      continue;
    uint64_t one = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = fc_feature_names[i].name; *c != '\0'; c++)
      one = (one ^ (unsigned char)*c) * 0x100000001b3u;
    hash ^= one;
  }
  return hash;
}

uint64_t fc_feature_find(const char *name, unsigned long length) {
  uint64_t bit = 1;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++, bit <<= 1) {
    const char *known = fc_feature_names[i].name;
    unsigned long at = 0;
    while (at < length && known[at] != '\0' && known[at] == name[at])
      at++;
    if (at == length && known[at] == '\0')
      return bit;
  }
  return 0;
}
