/* SPDX-License-Identifier: MIT */
/* What copies are weighed by when nothing is known of the programs that will run. */
#ifndef TUNE_WORKLOAD_H
#define TUNE_WORKLOAD_H

#include "scenario.h"

/* Where a working set lies; the sizes are found by measuring. */
enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY, LEVEL_COUNT };

struct workload_row {
  struct scenario scenario; /* working_set left open */
  enum level level;
  double for_memcpy, for_memmove; /* shares of the cost, by symbol */
};

extern const struct workload_row workload_default[];
extern const size_t workload_default_count;

#endif
