/* SPDX-License-Identifier: MIT */
/* The slots and thresholds behind this program's own memcpy and memmove, switched while it runs. */
#ifndef TUNE_LIVE_H
#define TUNE_LIVE_H

#include "dispatch/plan.h"

/* Makes the slots writable, once. 0, or -1 with a line on standard error. */
int live_open(void);

/* The exported entries of this image follow *plan from now on. Only after live_open(). */
void live_set(const struct fc_plan *plan);

/* Back to the plan that the process started with, and read-only again. */
void live_restore(void);

#endif
