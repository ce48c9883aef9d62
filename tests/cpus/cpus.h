/* SPDX-License-Identifier: MIT */
/* Recorded CPUs, so that choices are tested without the hardware. One file an architecture fills the list. */
#ifndef CPUS_H
#define CPUS_H

#include "arch/variant.h"

struct recorded_cpu {
  const char *name;
  struct fc_cpu cpu;
  const char *variant;           /* that the built-in rules must choose */
  size_t params[FC_PARAM_COUNT]; /* that they must set */
};

/* Item `index`; NULL past the last. The result is overwritten by the next call. */
const struct recorded_cpu *recorded_cpu(unsigned index);

#endif
