/* SPDX-License-Identifier: MIT */
/*
 * The registry of an architecture. Its rows stand once, in arch/<architecture>/variants.def,
 * features.def and params.def; everything here expands from them. The tables hold no pointers, since the
 * resolver reads them while the process is half-built.
 */
#ifndef FC_VARIANT_H
#define FC_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "arch_registry.h" /* of the architecture: enums of variants and parameters, FC_BASELINE */
#include "dispatch/cpu.h"

#pragma GCC visibility push(hidden)

typedef void *fc_copy(void *dst, const void *src, size_t n);

enum fc_trait {
  FC_BUILTIN = 1,    /* the built-in rules may choose it */
  FC_MEASURED = 2,   /* chosen only by a table or by FASTCOPY_VARIANT */
  FC_VZEROUPPER = 4, /* executes vzeroupper, which aborts a memory transaction */
  FC_DCBZ = 8,       /* executes dcbz, which only cacheable memory takes */
  FC_FORCED = 16,    /* never calibrated: chosen by name alone, since it may store an aligned value in pieces */
  FC_WIDE = 32,      /* loops of vectors that some CPUs store in halves */
};

struct fc_variant {
  char name[24];
  char needs[64];    /* the same features for people: "avx, avx2" */
  uint64_t features; /* every bit must be usable */
  uint32_t traits;   /* enum fc_trait */
};
extern const struct fc_variant fc_variants[FC_VARIANT_COUNT];

/* The variant as a memmove, and the code behind its slot: the architecture's entry code says how they differ. */
fc_copy *fc_variant_function(unsigned variant);
fc_copy *fc_variant_mempcpy(unsigned variant);
void *fc_variant_body(unsigned variant);

/* A number of the plan. Any value in [lowest, highest] is right; a table's value is clamped into it. */
struct fc_param {
  char name[24];
  char doc[104];
  size_t initial; /* without a table; legal on every CPU */
  size_t lowest;
  size_t highest;
  uint64_t features; /* where one of these is missing the value is `initial` */
};
extern const struct fc_param fc_params[FC_PARAM_COUNT];

/* What the entry points read. In memory that is read-only once the loader has relocated the library. */
struct fc_live {
  void *memcpy_slot;
  void *memmove_slot;
  size_t params[FC_PARAM_COUNT];
};
extern struct fc_live fc_live;

/* What `slot` holds to lead to `body`: its distance, which no loader has to relocate, or its address. */
static inline void *fc_slot(void *const *slot, const void *body) {
  return (void *)((uintptr_t)body - (FC_SLOTS_RELATIVE ? (uintptr_t)slot : 0));
}

/* Built-in rules of the architecture beyond "first usable row": may change params[]. */
void fc_builtin_params(const struct fc_cpu *cpu, size_t params[FC_PARAM_COUNT]);

/* What the environment decides over the table and the built-in rules. */
void fc_env_params(const struct fc_env *env, size_t params[FC_PARAM_COUNT]);

/* Features that the built-in choice of a variant must avoid on this CPU, as a set of enum fc_trait. */
uint32_t fc_builtin_avoid(const struct fc_cpu *cpu);

/* The plain exported entries, for the resolvers of the fastcopy_ names. */
fc_copy fc_entry_memcpy, fc_entry_memmove, fc_entry_mempcpy;

/* Is the small-size path of the entry itself in force under these params? */
int fc_entry_small(const size_t params[FC_PARAM_COUNT]);
void fc_entry_small_off(size_t params[FC_PARAM_COUNT]);

#pragma GCC visibility pop

#endif
