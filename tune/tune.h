/* SPDX-License-Identifier: MIT */
/* What the commands of fastcopy-tune share. */
#ifndef TUNE_H
#define TUNE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "dispatch/plan.h"

/* Exit codes of every command. */
enum { TUNE_DONE = 0, TUNE_FAILED = 1, TUNE_USAGE = 2 };

/* The commands. argv[0] is "fastcopy-tune COMMAND", as getopt's messages begin; each returns an exit code. */
int tune_bench(int argc, char **argv);
int tune_calibrate(int argc, char **argv);
int tune_explain(int argc, char **argv);
int tune_record(int argc, char **argv);
int tune_show(int argc, char **argv);
int tune_variants(int argc, char **argv);
int tune_workload(int argc, char **argv);

/* One line on standard error, "fastcopy-tune: " before it; says what, where and what to do. */
void tune_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same and a line that names --help; for getopt, which has said its own line, format is NULL. Returns TUNE_USAGE. */
int tune_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads the options of a command that has --json and --help alone. 0: go on, from optind; 1: *code is its exit code. */
int tune_options(int argc, char **argv, const char *help, bool *json, int *code);

/* To the disk; a file system without fsync says EINVAL. */
static inline int tune_sync(int fd) { return fsync(fd) == 0 || errno == EINVAL ? 0 : -1; }

/* What a text file holds; where its format is described. */
struct text_kind {
  const char *name, *manual;
  size_t most; /* bytes */
};

/* The text file at path, malloc'ed; NULL with a line on standard error. */
char *tune_read_text(const char *path, const struct text_kind *kind);

/* Reads "64", "4K", "32M", "1G" (powers of 1024; also kib, MB, ...) into *bytes. False when it is nothing of the kind. */
bool tune_parse_size(const char *text, size_t *bytes);

/* Path of the tuning table that a privileged process reads: FASTCOPY_TABLE_FOLDER of the build and tuning.fct. */
#define TUNE_TABLE_PATH FC_TABLE_FOLDER "/" FC_TABLE_NAME

/* The table that this process looks for: FASTCOPY_TABLE, else TUNE_TABLE_PATH. */
const char *tune_table_path(void);

#endif
