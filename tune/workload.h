/* SPDX-License-Identifier: MIT */
/* What copies are weighed by: scenarios that stand for the calls of recorded programs. */
#ifndef TUNE_WORKLOAD_H
#define TUNE_WORKLOAD_H

#include "scenario.h"
#include "workload_file.h"

/* Where a working set lies; the sizes are found by measuring. */
enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY, LEVEL_COUNT };

struct workload_row {
  struct scenario scenario; /* working_set left open */
  enum level level;
  double for_memcpy, for_memmove; /* shares of the cost, by symbol; the sum of each is 1 */
};

struct workload {
  struct workload_row *rows; /* malloc'ed, and so are the bands of their scenarios */
  size_t count;
};

/* What comes with fastcopy-tune, tune/workloads/; the build makes the list. */
struct workload_builtin {
  const char *name, *text;
};
extern const struct workload_builtin workload_builtins[];
extern const size_t workload_builtin_count;

/*
 * The rows for recorded workloads, each of which counts as much as any other. 0, or -1 when memory is short.
 * workload_free() releases them.
 */
int workload_make(struct workload *workload, const struct workload_file *files, size_t count);
void workload_free(struct workload *workload);

/*
 * Reads the files at `paths`; where there are none, what is built in. On failure says why in one line on standard
 * error, and returns -1. workload_unload() releases the malloc'ed list.
 */
int workload_load(struct workload_file **files, size_t *count, char *const *paths, size_t path_count);
void workload_unload(struct workload_file *files, size_t count);

#endif
