/* SPDX-License-Identifier: MIT */
#ifndef FC_POWERPC_REGISTRY_H
#define FC_POWERPC_REGISTRY_H

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
#define FC_BASELINE FC_VARIANT_word

/* Sizes below this are copied in the entries, and the contents of the slots need not take them. */
#ifdef __powerpc64__
#define FC_SLOT_LEAST 0
#else
#define FC_SLOT_LEAST 33
#endif

/* Do the entries add what a slot holds to the address of fc_live? */
#define FC_SLOTS_RELATIVE 0

/* Three ABIs, three architectures for the table: what wins on one says nothing of another. */
#if !defined __powerpc64__
#define FC_ARCH_THIS FC_ARCH_PPC32
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FC_ARCH_THIS FC_ARCH_PPC64LE
#else
#define FC_ARCH_THIS FC_ARCH_PPC64
#endif

#endif
