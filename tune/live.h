/* SPDX-License-Identifier: MIT */
/* The slots and thresholds behind this program's own memcpy and memmove, switched while it runs. */
#ifndef TUNE_LIVE_H
#define TUNE_LIVE_H

#include "dispatch/resolver.h"

/* Makes the slots writable, once, for fc_live_set(). 0, or -1 with a line on standard error. */
int live_open(void);

/* Back to the plan that the process started with, and read-only again. */
void live_restore(void);

#endif
