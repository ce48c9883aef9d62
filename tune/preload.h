/* SPDX-License-Identifier: MIT */
/* Libraries of this build, put before a program by LD_PRELOAD. */
#ifndef TUNE_PRELOAD_H
#define TUNE_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/* As env(1) and the shells have them: what a program that runs another ends with. */
enum { PRELOAD_NOT_EXECUTABLE = 126, PRELOAD_NOT_FOUND = 127 };

/* One line on standard error. */
typedef void preload_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The path of a library that this build made: beside this program (a build tree), below its prefix (wherever it was
 * moved), or where it was installed. `folder` is where it stands below the folder of libraries, "" or "/" and a name.
 */
bool preload_find(char library[PATH_MAX], const char *name, const char *folder, preload_complain *complain);

/* Adds it to LD_PRELOAD, where it is not there yet; behind what is there, or before it. */
bool preload_add(const char *library, bool first, preload_complain *complain);

#endif
