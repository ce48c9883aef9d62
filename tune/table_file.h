/* SPDX-License-Identifier: MIT */
/* The tuning table as a file: fastcopy-table(5). Reading whole files for people, and writing them safely. */
#ifndef TUNE_TABLE_FILE_H
#define TUNE_TABLE_FILE_H

#include "dispatch/table.h"

struct table_file {
  struct fc_table_entry *entries; /* count of them, malloc'ed */
  size_t count;
  char *curves;    /* measured curves as JSON text, NUL-terminated, malloc'ed; NULL when there are none */
  char detail[96]; /* after a failed read: where, or the system's reason; else "" */
};

/*
 * Reads and checks the whole file, curves included. Returns FC_TABLE_MATCH when it is intact, else what is wrong
 * with it (and leaves *file empty, but for the detail). table_file_free() releases what it allocated.
 */
enum fc_table_status table_file_read(struct table_file *file, const char *path);
void table_file_free(struct table_file *file);

/* Says in one line on standard error what is wrong with the file, where, and what to do. status: of table_file_read(). */
void table_file_complain(const struct table_file *file, const char *path, enum fc_table_status status);

/* Adds an entry, or replaces the one of the same architecture, CPU and feature hash. 0, or -1 when memory is short. */
int table_file_put(struct table_file *file, const struct fc_table_entry *entry);

/*
 * Writes to a temporary file in the same folder, fsync, rename, fsync of the folder, under a lock against a second
 * writer. The default folder is made when it is missing. A symbolic link, or anything else that is no regular file,
 * is refused. On failure says why in one line on standard error, leaves what was there untouched, returns -1.
 */
int table_file_write(const struct table_file *file, const char *path);

/*
 * Holds the writers' lock of path's folder, so that no other writer comes between table_file_read() and
 * table_file_write() of the same path. One lock at a time. Same error line, -1.
 */
int table_file_lock(const char *path);
void table_file_unlock(void);

/*
 * Can table_file_write() be expected to work? Said before a long measurement, not after it; the lock is taken for the
 * moment. Same error line, -1.
 */
int table_file_writable(const char *path);

#endif
