/* SPDX-License-Identifier: MIT */
/* What the dispatcher knows of the CPU: a list of features by name, and an identity for the table. */
#ifndef FC_CPU_H
#define FC_CPU_H

#include <stdint.h>

#include "arch_features.h" /* of the architecture: enum fc_feature, FC_BIT() */
#include "dispatch/startup.h"

#pragma GCC visibility push(hidden)

enum fc_arch { FC_ARCH_X86_64 = 1, FC_ARCH_PPC64LE = 2, FC_ARCH_PPC64 = 3, FC_ARCH_PPC32 = 4 };

struct fc_cpu {
  uint32_t arch;     /* enum fc_arch */
  uint32_t id;       /* family, model and stepping as the architecture encodes them */
  uint64_t features; /* bit FC_BIT(name): usable, the operating system's consent included */
};

/* The features in a fixed order; names as in /proc/cpuinfo. No pointers: read before relocation. */
struct fc_feature_name {
  char name[16];
};
extern const struct fc_feature_name fc_feature_names[FC_FEATURE_COUNT];

/* Fills *cpu; executes no instruction that traps in a virtual machine where the C library has the answer. */
void fc_cpu_detect(struct fc_cpu *cpu, const struct fc_startup *startup);

/* Hash of the names of the features in `features`: independent of their order and of their bit numbers. */
uint64_t fc_feature_hash(uint64_t features);

/* Bit of the feature whose name is the `length` bytes at `name`; 0 if there is none. */
uint64_t fc_feature_find(const char *name, unsigned long length);

#pragma GCC visibility pop

#endif
