/* SPDX-License-Identifier: MIT */
/*
 * What the measured figures mean for the plan. Pure functions of their arguments, so that tests can forge
 * figures. All lists are in a fixed order of preference: what is within DECISION_MARGIN of the best counts as
 * equal, and the earlier one is taken, so that repeated runs agree.
 */
#ifndef TUNE_DECISION_H
#define TUNE_DECISION_H

#include <stddef.h>
#include <stdint.h>

#define DECISION_MARGIN 1.02 /* a smaller gain is none */

/* How many times as fast as a reference, and a 95 % interval. ratio 0: was not measured. */
struct estimate {
  double ratio, low, high;
};

/* A quantile of count values `stride` apart, negative ones left out; 0 when none is left. The figure is the one of 10 %. */
double decision_quantile(const double *values, size_t count, size_t stride, double quantile);
double decision_figure(const double *values, size_t count, size_t stride);

/* Times of several subjects in one scenario, taken in the same rounds: ns[round * stride + subject], negative: none. */
struct series {
  const double *ns;
  size_t rounds, stride;
  double weight;
  int paired; /* compare round by round, and take the median: for memory that others use too, which is never at rest */
};

/*
 * Weighted geometric mean over the series of figure(reference) / figure(candidate), or of the median of the
 * rounds' own ratios; the interval from resampled rounds. {0} when either was not measured in some series of weight > 0.
 */
struct estimate decision_compare(const struct series *series, size_t count, size_t reference, size_t candidate);

/* Two subjects that are the same, compared: is the machine too restless to tell others apart? */
int decision_noisy(struct estimate same);

/* A variant, and the small path in front of it; gains over candidate 0. */
struct candidate {
  unsigned variant;
  unsigned small; /* which value of the small path's parameter: 0 is off */
  struct estimate for_memcpy, for_memmove;
};

struct choice {
  size_t for_memcpy, for_memmove; /* indices of candidates with the same `small` */
};

/* The built-in choice is candidate 0 (gain 1, small 0), and stays unless another is clearly better. */
struct choice decision_variants(const struct candidate *candidates, size_t count);

/* One size on a rising grid of powers of two. */
struct point {
  size_t size;
  struct estimate gain;   /* of the way of copying in question over the ordinary loop */
  double worst;           /* lowest ratio among the cells that `gain` is the mean of */
  struct estimate skewed; /* gain at unfavourable distances between the buffers */
};

/* min..max - 1; max SIZE_MAX: no end; min SIZE_MAX: never. */
struct window {
  size_t min, max;
  int skewed; /* must be left out at unfavourable distances */
};

/* builtin: what holds when nothing measured is clearly better. */
struct window decision_window(const struct point *points, size_t count, struct window builtin);

/* bounds[i]: distances below it and not below bounds[i - 1] have gains[i]. The bound below which to avoid them, or 0. */
size_t decision_skew(const size_t *bounds, const struct estimate *gains, size_t count);

/*
 * The size from which on all larger sizes gain, and no cell of theirs loses; SIZE_MAX when the built-in threshold
 * only costs.
 */
size_t decision_threshold(const struct point *points, size_t count, size_t builtin);

/*
 * One of several values of a number, by its gain over the first, which is in force: the first that is not clearly worse
 * than the best, and stays unless another clearly gains.
 */
size_t decision_value(const struct estimate *gains, size_t count);

/* Is there a size of which even this is open: a loss, or a gain of a quarter? */
int decision_restless(const struct point *points, size_t count);

/*
 * Working sets where the cost per byte steps up: edges[i] is the largest that still fits a level. Returns how
 * many were found, at most `most`.
 */
size_t decision_edges(const size_t *sizes, const double *cost, size_t count, size_t *edges, size_t most);

/*
 * The largest working set that the last level serves rather than memory: the curve climbs slowly there, so it is
 * where half of the way from the cost at `inner` to that at the end is gone. 0 when there is no such way.
 */
size_t decision_last_level(const size_t *sizes, const double *cost, size_t count, size_t inner);

#endif
