/* SPDX-License-Identifier: MIT */
/* Recorded workloads as text files: fastcopy-workload(5). */
#ifndef TUNE_WORKLOAD_FILE_H
#define TUNE_WORKLOAD_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "record/layout.h"

#define WORKLOAD_SIZE_MOST ((uint64_t)1 << 40)           /* of a copy */
#define WORKLOAD_CALLS_MOST ((uint64_t)1000000000000000) /* on a line; the sums of all lines fit into 64 bits */
#define WORKLOAD_LINES_MOST 4096

/* Calls of one function with sizes from low to high. */
struct workload_line {
  enum record_function function;
  uint64_t low, high;
  uint64_t counts[RECORD_COUNTERS]; /* RECORD_BYTES 0: not known */
};

struct workload_file {
  char *command; /* malloc'ed; NULL: not said */
  struct workload_line *lines;
  size_t count;
};

/* Reads a file, or a text that `path` names in messages. On failure says in one line on standard error where and why; -1. */
int workload_file_read(struct workload_file *file, const char *path);
int workload_file_parse(struct workload_file *file, const char *text, const char *path);

/* Adds a line at the end. 0, or -1 when memory is short. */
int workload_file_add(struct workload_file *file, const struct workload_line *line);

/* Writes what the parser reads; errors are the stream's. */
void workload_file_write(const struct workload_file *file, FILE *to);

void workload_file_free(struct workload_file *file);

#endif
