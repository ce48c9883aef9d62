/* SPDX-License-Identifier: MIT */
/* Size distributions that users bring along. */
#ifndef TUNE_DISTRIBUTION_H
#define TUNE_DISTRIBUTION_H

#include "scenario.h"

struct distribution {
  struct band *bands; /* malloc'ed */
  size_t count;
};

/*
 * Reads `size:probability,...` on the first line, further lines being checked and left out; or one pair on each
 * line. On failure says in one line on standard error where and why, returns -1.
 */
int distribution_read(struct distribution *distribution, const char *path);

/* The same of a text; `path` is for the message. */
int distribution_parse(struct distribution *distribution, const char *text, const char *path);

void distribution_free(struct distribution *distribution);

#endif
