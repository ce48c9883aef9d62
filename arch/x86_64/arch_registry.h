/* SPDX-License-Identifier: MIT */
#ifndef FC_X86_REGISTRY_H
#define FC_X86_REGISTRY_H

#define FC_VARIANT(name, ...) FC_VARIANT_##name,
enum fc_variant_index {
#include "variants.def"
  FC_VARIANT_COUNT
};
#undef FC_VARIANT

#define FC_PARAM(name, ...) FC_PARAM_##name,
enum fc_param_index {
#include "params.def"
  FC_PARAM_COUNT
};
#undef FC_PARAM

/* What the slots hold until the resolver has run: legal on every CPU of the architecture. */
#define FC_BASELINE FC_VARIANT_sse2

/*
 * Sizes below FC_SLOT_LEAST are copied in the entries, and what the slots lead to need not take them. FC_SLOT_KEEPS: it
 * keeps a result that the entry has set; else it is a memmove. FC_SLOTS_RELATIVE: a slot holds the distance of the code
 * from itself, not its address.
 */
#define FC_SLOT_LEAST 0
#define FC_SLOT_KEEPS 1
#define FC_SLOTS_RELATIVE 0

#define FC_ARCH_THIS FC_ARCH_X86_64

#endif
