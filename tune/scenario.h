/* SPDX-License-Identifier: MIT */
/* A scenario in words and numbers, and the operations that act it out. */
#ifndef TUNE_SCENARIO_H
#define TUNE_SCENARIO_H

#include "measure.h"

/* Sizes low..high, each as likely as the others. */
struct band {
  size_t low, high;
  double share; /* of the calls; the shares of a distribution need not add up to 1 */
};

enum place {
  PLACE_APART,  /* source and destination in buffers of their own, at any offset */
  PLACE_PAGES,  /* the same, both at the start of a page */
  PLACE_SKEWED, /* the same, (dst - src) mod 4096 within skew_low..skew_high - 1 and no multiple of 64 */
  PLACE_SHARED, /* both anywhere in one buffer: they overlap now and then */
  PLACE_NEAR,   /* both in one buffer, less than the size apart: they overlap, half of them either way */
  PLACE_ABOVE,  /* both in one buffer, the destination skew_low..skew_high - 1 above the source */
  PLACE_BELOW,  /* the same, below the source */
  PLACE_TIGHT,  /* apart, in buffers without room to spare; (dst - src) mod 4096 is any, and stays for some calls */
};

struct scenario {
  const char *name;
  const char *group; /* under which the summary counts it */
  const struct band *bands;
  size_t band_count;
  size_t operations;  /* different ones, before they repeat: few can be learnt by the branch predictor */
  size_t working_set; /* bytes of source and destination together */
  enum next next;
  enum place place;
  unsigned skew_low, skew_high;
};

/* Memory that scenarios share; filled, so that no page is the zero page. */
struct arena {
  unsigned char *memory;
  size_t size;
};
int arena_open(struct arena *arena, size_t size);
void arena_close(struct arena *arena);
/* Bytes of an arena that a scenario of this working set needs. */
size_t arena_for(size_t working_set);

/* Sizes are cut to what the buffers hold. 0, or -1 when memory is short or the arena too small. */
int scenario_work(struct work *work, const struct scenario *scenario, const struct arena *arena, uint64_t seed);
void work_free(struct work *work);

#endif
