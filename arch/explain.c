/* SPDX-License-Identifier: MIT */
/* What the explanations of all architectures share. */
#include "arch/explain.h"

#include <stdarg.h>
#include <stdio.h>

void fc_ranges_add(struct fc_ranges *ranges, size_t below, const char *why, const char *what, ...) {
  if (below <= ranges->done || ranges->count == ranges->cap)
    return;
  struct fc_range *range = &ranges->out[ranges->count++];
  range->from = ranges->done;
  range->below = ranges->done = below;
  snprintf(range->why, sizeof range->why, "%s", why);
  va_list args;
  va_start(args, what);
  vsnprintf(range->what, sizeof range->what, what, args);
  va_end(args);
}
