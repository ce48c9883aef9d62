/* SPDX-License-Identifier: MIT */
#include "decision.h"

#include <math.h>
#include <stdlib.h>

#define RESAMPLES 200
#define MEMCPY_SHARE 0.75   /* of calls; memmove has the rest */
#define SKEW_TOLERATED 0.97 /* skewed distances may cost this much before they are left out */
#define CELL_TOLERATED 0.90 /* no residency or alignment may become slower than this for the sake of the mean */
#define LOSS_TOLERATED 0.97 /* nor may a reader of the copy pay for stores past the cache */
#define FIRST_GAIN 1.10
#define RANGE_GAIN 1.4 /* product over its sizes: a range that wins less is there in one run and not in the next */
#define RANGE_LEAST 3  /* sizes: one or two, most likely beside the stores past the cache, are no range but chance */
#define RESTLESS_GAIN 1.25
#define NOISE_INTERVAL 1.04 /* high over low of two equal subjects */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double decision_quantile(const double *values, size_t count, size_t stride, double quantile) {
  double *kept = malloc((count + 1) * sizeof *kept);
  if (kept == NULL)
    return 0;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (values[i * stride] >= 0)
      kept[n++] = values[i * stride];
  }
  double figure = 0;
  if (n != 0) {
    qsort(kept, n, sizeof *kept, ascending);
    /* between two ranks */
    double rank = quantile * (double)(n - 1);
    size_t below = (size_t)rank;
    figure = kept[below];
    if (below + 1 < n)
      figure += (rank - (double)below) * (kept[below + 1] - kept[below]);
  }
  free(kept);
  return figure;
}

double decision_figure(const double *values, size_t count, size_t stride) {
  return decision_quantile(values, count, stride, 0.1);
}

/* One subject of a series: its times in order, and the rank of each round. */
struct ranked {
  double *sorted;
  unsigned *rank;
  unsigned *drawn; /* how often a resample drew each rank */
};

struct indexed {
  double ns;
  unsigned round;
};

static int ascending_indexed(const void *a, const void *b) {
  const struct indexed *x = a, *y = b;
  return (x->ns > y->ns) - (x->ns < y->ns);
}

/* values: n of them. */
static int rank(struct ranked *ranked, const double *values, size_t n) {
  struct indexed *all = malloc(n * sizeof *all);
  ranked->sorted = malloc(n * sizeof *ranked->sorted);
  ranked->rank = malloc(n * sizeof *ranked->rank);
  ranked->drawn = malloc(n * sizeof *ranked->drawn);
  int result = all == NULL || ranked->sorted == NULL || ranked->rank == NULL || ranked->drawn == NULL ? -1 : 0;
  if (result == 0) {
    for (size_t i = 0; i < n; i++)
      all[i] = (struct indexed){values[i], (unsigned)i};
    qsort(all, n, sizeof *all, ascending_indexed);
    for (size_t i = 0; i < n; i++) {
      ranked->sorted[i] = all[i].ns;
      ranked->rank[all[i].round] = (unsigned)i;
    }
  }
  free(all);
  return result;
}

static void rank_free(struct ranked *ranked) {
  free(ranked->sorted);
  free(ranked->rank);
  free(ranked->drawn);
}

/* A quantile of the resample in `drawn`. */
static double drawn_quantile(const struct ranked *ranked, size_t n, double quantile) {
  double place = quantile * (double)(n - 1);
  size_t below = (size_t)place, seen = 0, at = 0;
  while ((seen += ranked->drawn[at]) <= below)
    at++;
  double low = ranked->sorted[at];
  if (seen > below + 1 || n == 1)
    return low;
  do
    at++;
  while (ranked->drawn[at] == 0);
  return low + (place - (double)below) * (ranked->sorted[at] - low);
}

static uint64_t draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Logarithm of the ratio in the resample; b is not used when the rounds were compared one by one. */
static double drawn_ratio(const struct ranked *a, const struct ranked *b, size_t n, int paired) {
  return paired ? drawn_quantile(a, n, 0.5) : log(drawn_quantile(a, n, 0.1) / drawn_quantile(b, n, 0.1));
}

/* Adds the weighted logarithms of one series to those of each resample. -1: not measured, or no memory. */
static int add_series(const struct series *series, size_t reference, size_t candidate, double *exact, double *logs) {
  struct ranked a = {0}, b = {0};
  double *first = malloc((series->rounds + 1) * sizeof *first);
  double *second = malloc((series->rounds + 1) * sizeof *second);
  size_t n = 0;
  int result = first == NULL || second == NULL ? -1 : 0;
  for (size_t i = 0; i < series->rounds && result == 0; i++) {
    double x = series->ns[i * series->stride + reference], y = series->ns[i * series->stride + candidate];
    if (!(x > 0 && y > 0))
      continue;
    first[n] = series->paired ? log(x / y) : x;
    second[n++] = y;
  }
  if (result == 0)
    result = n == 0 || rank(&a, first, n) != 0 || rank(&b, second, n) != 0 ? -1 : 0;
  if (result == 0) {
    uint64_t state = 0x2545f4914f6cdd1du;
    for (size_t i = 0; i < n; i++)
      a.drawn[i] = b.drawn[i] = 1;
    *exact += series->weight * drawn_ratio(&a, &b, n, series->paired);
    for (size_t s = 0; s < RESAMPLES; s++) {
      for (size_t i = 0; i < n; i++)
        a.drawn[i] = b.drawn[i] = 0;
      for (size_t i = 0; i < n; i++) {
        /* whole rounds are drawn: what disturbed both stays paired */
        size_t round = (size_t)((draw(&state) >> 32) * n >> 32);
        a.drawn[a.rank[round]]++;
        b.drawn[b.rank[round]]++;
      }
      logs[s] += series->weight * drawn_ratio(&a, &b, n, series->paired);
    }
  }
  rank_free(&a);
  rank_free(&b);
  free(first);
  free(second);
  return result;
}

struct estimate decision_compare(const struct series *series, size_t count, size_t reference, size_t candidate) {
  double exact = 0, weight = 0, logs[RESAMPLES] = {0};
  for (size_t i = 0; i < count; i++) {
    if (!(series[i].weight > 0))
      continue;
    weight += series[i].weight;
    if (add_series(&series[i], reference, candidate, &exact, logs) != 0)
      return (struct estimate){0};
  }
  if (!(weight > 0))
    return (struct estimate){0};
  qsort(logs, RESAMPLES, sizeof *logs, ascending);
  return (struct estimate){exp(exact / weight), exp(logs[RESAMPLES / 40] / weight),
                           exp(logs[RESAMPLES - 1 - RESAMPLES / 40] / weight)};
}

int decision_noisy(struct estimate same) {
  return !(same.ratio > 1 / DECISION_MARGIN && same.ratio < DECISION_MARGIN && same.high <= same.low * NOISE_INTERVAL);
}

static int measured(struct estimate gain) { return isfinite(gain.ratio) && gain.ratio > 0; }

static int clear_gain(struct estimate gain) { return measured(gain) && gain.ratio >= DECISION_MARGIN && gain.low > 1; }

static struct estimate gain_of(const struct candidate *candidate, int for_memmove) {
  return for_memmove ? candidate->for_memmove : candidate->for_memcpy;
}

/* The best candidate with that small path, or `count`: the first that is not clearly worse than the best of them. */
static size_t best_with(const struct candidate *candidates, size_t count, unsigned small, int for_memmove) {
  double best = 0;
  for (int search = 1; search >= 0; search--) {
    for (size_t i = 0; i < count; i++) {
      struct estimate gain = gain_of(&candidates[i], for_memmove);
      if (candidates[i].small != small || !measured(gain))
        continue;
      /* without the small path the built-in choice is there, and moved only by a clear gain */
      if (small == 0 && i != 0 && !clear_gain(gain))
        continue;
      if (search)
        best = gain.ratio > best ? gain.ratio : best;
      else if (gain.ratio * DECISION_MARGIN > best)
        return i;
    }
  }
  return count;
}

struct choice decision_variants(const struct candidate *candidates, size_t count) {
  struct choice choice = {0, 0};
  double best = 0, off = 1;
  unsigned smalls = 0;
  for (size_t i = 0; i < count; i++)
    smalls = candidates[i].small >= smalls ? candidates[i].small + 1 : smalls;
  /* first the best mean, then the first small path that comes near it; the path is off unless it clearly gains */
  for (int search = 1; search >= 0; search--) {
    for (unsigned small = 0; small < smalls; small++) {
      size_t c = best_with(candidates, count, small, 0), m = best_with(candidates, count, small, 1);
      if (c == count || m == count)
        continue;
      struct estimate for_memcpy = candidates[c].for_memcpy, for_memmove = candidates[m].for_memmove;
      double mean = exp(MEMCPY_SHARE * log(for_memcpy.ratio) + (1 - MEMCPY_SHARE) * log(for_memmove.ratio));
      double low = exp(MEMCPY_SHARE * log(for_memcpy.low) + (1 - MEMCPY_SHARE) * log(for_memmove.low));
      if (small == 0)
        off = mean;
      else if (!(mean >= off * DECISION_MARGIN && low > off))
        continue;
      if (search) {
        best = mean > best ? mean : best;
      } else if (mean * DECISION_MARGIN > best) {
        choice = (struct choice){c, m};
        return choice;
      }
    }
  }
  return choice;
}

static int inside(const struct window *window, size_t size) { return size >= window->min && size < window->max; }

struct window decision_window(const struct point *points, size_t count, struct window builtin) {
  /* the run of sizes with the largest sum of gains beyond half the margin, so that one disturbed size does not split it */
  double best = 0, sum = 0;
  size_t start = 0, from = 0, to = 0; /* from..to - 1 */
  for (size_t i = 0; i < count; i++) {
    if (!measured(points[i].gain) || points[i].gain.ratio < 1 || points[i].worst < CELL_TOLERATED) {
      sum = 0;
      start = i + 1;
      continue;
    }
    sum += log(points[i].gain.ratio) - 0.5 * log(DECISION_MARGIN);
    if (sum <= 0) {
      sum = 0;
      start = i + 1;
    } else if (sum > best) {
      best = sum;
      from = start;
      to = i + 1;
    }
  }
  while (from < to && !clear_gain(points[from].gain))
    from++;
  while (from < to && !clear_gain(points[to - 1].gain))
    to--;

  struct window found = {SIZE_MAX, SIZE_MAX, builtin.skewed};
  double product = 1;
  for (size_t i = from; i < to; i++)
    product *= points[i].gain.ratio;
  if (to - from >= RANGE_LEAST && product >= RANGE_GAIN) {
    found.min = points[from].size;
    /* a point stands for the sizes up to the next */
    found.max = to == count ? SIZE_MAX : points[to].size;
    found.skewed = 0;
    for (size_t i = from; i < to; i++) {
      if (measured(points[i].skewed) && points[i].skewed.ratio < SKEW_TOLERATED)
        found.skewed = 1;
    }
  }
  /* is it better than the built-in window where the two differ? */
  double gain = 0;
  size_t differ = 0;
  for (size_t i = 0; i < count; i++) {
    int now = inside(&builtin, points[i].size), then = inside(&found, points[i].size);
    if (now != then && measured(points[i].gain)) {
      gain += then ? log(points[i].gain.ratio) : -log(points[i].gain.ratio);
      differ++;
    }
  }
  if (differ == 0 || gain / (double)differ < log(DECISION_MARGIN)) {
    /* the sizes stay; whether skewed distances are left out was measured all the same */
    struct window kept = builtin;
    for (size_t i = 0; i < count; i++) {
      if (inside(&builtin, points[i].size) && measured(points[i].skewed) && points[i].skewed.ratio < SKEW_TOLERATED)
        kept.skewed = 1;
    }
    return kept;
  }
  return found;
}

size_t decision_skew(const size_t *bounds, const struct estimate *gains, size_t count) {
  for (size_t i = count; i-- > 0;) {
    if (measured(gains[i]) && gains[i].ratio < SKEW_TOLERATED)
      return bounds[i];
  }
  return 0;
}

size_t decision_threshold(const struct point *points, size_t count, size_t builtin) {
  size_t from = count;
  while (from != 0 && clear_gain(points[from - 1].gain) && points[from - 1].worst >= LOSS_TOLERATED)
    from--;
  /*
   * At the first size caches and memory share the work, in a proportion that changes with what else the machine
   * does: where it does not gain clearly in every cell, the next size is the first that is sure.
   */
  if (from + 1 < count && points[from].worst < FIRST_GAIN)
    from++;
  size_t found = from == count ? SIZE_MAX : points[from].size;
  /* only against the sizes that change hands */
  double gain = 0;
  size_t differ = 0;
  for (size_t i = 0; i < count; i++) {
    int now = points[i].size >= builtin, then = points[i].size >= found;
    if (now == then || !measured(points[i].gain))
      continue;
    gain += then ? log(points[i].gain.ratio) : -log(points[i].gain.ratio);
    differ++;
  }
  return differ != 0 && gain / (double)differ >= log(DECISION_MARGIN) ? found : builtin;
}

size_t decision_value(const struct estimate *gains, size_t count) {
  double best = 0;
  for (size_t i = 1; i < count; i++) {
    if (clear_gain(gains[i]) && gains[i].ratio > best)
      best = gains[i].ratio;
  }
  for (size_t i = 1; i < count; i++) {
    if (clear_gain(gains[i]) && gains[i].ratio * DECISION_MARGIN > best)
      return i;
  }
  return 0;
}

int decision_restless(const struct point *points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (measured(points[i].gain) && points[i].gain.low < 1 && points[i].gain.high > RESTLESS_GAIN)
      return 1;
  }
  return 0;
}

size_t decision_edges(const size_t *sizes, const double *cost, size_t count, size_t *edges, size_t most) {
  size_t found = 0;
  if (count == 0)
    return 0;
  double level = cost[0];
  for (size_t i = 1; i < count && found < most; i++) {
    level = cost[i] < level ? cost[i] : level;
    if (!(cost[i] > 1.25 * level))
      continue;
    edges[found++] = sizes[i - 1];
    /* up the slope to the next level */
    while (i + 1 < count && cost[i + 1] > 1.08 * cost[i])
      i++;
    level = cost[i];
  }
  return found;
}

size_t decision_last_level(const size_t *sizes, const double *cost, size_t count, size_t inner) {
  size_t last = 0, at = 0;
  while (at < count && sizes[at] < inner)
    at++;
  /* less than this between the two is no level of its own */
  if (at == count || !(cost[count - 1] > 1.5 * cost[at]))
    return 0;
  double middle = sqrt(cost[at] * cost[count - 1]);
  for (; at < count && cost[at] <= middle; at++)
    last = sizes[at];
  return last;
}
