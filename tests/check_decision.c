/* SPDX-License-Identifier: MIT */
/* The decisions of fastcopy-tune, fed with forged figures. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tune/decision.h"

static unsigned failures;

static void expect(int good, const char *what) {
  printf("%s  %s\n", good ? "pass" : "FAIL", what);
  failures += !good;
}

static double noise(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

/* Times around ns: a floor, and disturbances upward as real ones are. */
static double forged(double ns, double spread) {
  double value = ns * (1 + spread * noise());
  return noise() < 0.1 ? 3 * value : value;
}

static struct estimate exactly(double ratio) { return (struct estimate){ratio, 0.998 * ratio, 1.002 * ratio}; }
static struct estimate vaguely(double ratio) { return (struct estimate){ratio, 0.9 * ratio, 1.1 * ratio}; }

static void check_figure(void) {
  double values[22];
  for (int i = 0; i < 11; i++) {
    values[2 * i] = 110 - 10 * i;
    values[2 * i + 1] = -1;
  }
  expect(fabs(decision_figure(values, 11, 2) - 20) < 1e-9, "figure: the 10 % quantile of 10, 20, ..., 110 is 20");
  expect(decision_figure(values + 1, 11, 2) == 0, "figure: 0 when nothing was measured");
  expect(decision_figure(values, 0, 1) == 0, "figure: 0 of no values");
  values[0] = 7;
  expect(decision_figure(values, 1, 1) == 7, "figure: of a single value, that value");
}

static void check_compare(void) {
  enum { ROUNDS = 200, SUBJECTS = 4 };
  static double ns[2][ROUNDS * SUBJECTS];
  for (int i = 0; i < ROUNDS; i++) {
    double drift = 1 + 0.2 * sin(i / 20.0);
    for (int s = 0; s < 2; s++) {
      double *row = &ns[s][i * SUBJECTS];
      row[0] = forged(10 * drift, 0.1);
      row[1] = forged(10 * drift, 0.1);
      row[2] = forged((s == 0 ? 5 : 20) * drift, 0.1);
      row[3] = -1;
    }
  }
  struct series series[2] = {{ns[0], ROUNDS, SUBJECTS, 1, 0}, {ns[1], ROUNDS, SUBJECTS, 1, 0}};
  struct estimate same = decision_compare(series, 2, 0, 1), mixed = decision_compare(series, 2, 0, 2);
  expect(same.low <= 1 && same.high >= 1 && same.low <= same.ratio && same.ratio <= same.high,
         "compare: equal subjects, interval around 1");
  expect(!decision_noisy(same), "compare: drift and bursts that hit both are not noise");
  expect(fabs(mixed.ratio - 1) < 0.03, "compare: twice as fast and half as fast are 1 in the mean");
  series[1].weight = 0;
  struct estimate faster = decision_compare(series, 2, 0, 2);
  expect(fabs(faster.ratio - 2) < 0.06 && faster.low > 1.9, "compare: weight 0 leaves a series out");
  series[0].paired = 1;
  faster = decision_compare(series, 1, 0, 2);
  expect(fabs(faster.ratio - 2) < 0.06 && faster.low > 1.9, "compare: round by round it is the same");
  expect(decision_compare(series, 1, 0, 3).ratio == 0, "compare: 0 when the candidate was not measured");
  expect(decision_compare(series, 0, 0, 1).ratio == 0, "compare: 0 of no series");
  expect(memcmp(&faster, &(struct estimate){0}, sizeof faster) != 0 &&
             decision_compare(series, 1, 0, 2).low == faster.low,
         "compare: the same figures give the same interval");

  /* one wide machine: rounds of two kinds, and never alike */
  for (int i = 0; i < ROUNDS; i++) {
    ns[0][i * SUBJECTS] = noise() < 0.1 ? 10 : 30;
    ns[0][i * SUBJECTS + 1] = noise() < 0.1 ? 10 : 30;
  }
  series[0].paired = 0;
  series[0].rounds = 25;
  expect(decision_noisy(decision_compare(series, 1, 0, 1)), "noise: rounds that scatter by a factor are noise");
  expect(decision_noisy((struct estimate){1.03, 1.02, 1.04}), "noise: equal subjects that differ are noise");
  expect(decision_noisy((struct estimate){0}), "noise: nothing measured is noise");
  expect(!decision_noisy((struct estimate){1.001, 0.998, 1.004}), "noise: half a per cent is none");
}

static int chosen(const struct candidate *candidates, size_t count, size_t for_memcpy, size_t for_memmove) {
  struct choice choice = decision_variants(candidates, count);
  return choice.for_memcpy == for_memcpy && choice.for_memmove == for_memmove;
}

static void check_variants(void) {
  struct estimate one = exactly(1), none = {0};
  struct candidate single[] = {{0, 0, {1, 1, 1}, {1, 1, 1}}};
  expect(chosen(single, 1, 0, 0), "variants: the built-in one alone stays");
  struct candidate absent[] = {{0, 0, one, one}, {1, 0, none, none}, {2, 0, {NAN, NAN, NAN}, {NAN, NAN, NAN}}};
  expect(chosen(absent, 3, 0, 0), "variants: what was not measured is not chosen");
  struct candidate tie[] = {{0, 0, one, one}, {1, 0, exactly(1.015), exactly(1.015)}};
  expect(chosen(tie, 2, 0, 0), "variants: 1.5 % better is a tie, the built-in one stays");
  struct candidate better[] = {{0, 0, one, one}, {1, 0, exactly(1.3), exactly(0.9)}};
  expect(chosen(better, 2, 1, 0), "variants: memcpy and memmove are chosen apart");
  struct candidate vague[] = {{0, 0, one, one}, {1, 0, vaguely(1.08), vaguely(1.08)}};
  expect(chosen(vague, 2, 0, 0), "variants: 8 % that may be chance change nothing");
  struct candidate near_best[] = {
      {0, 0, one, one}, {1, 0, exactly(1.2), exactly(1.2)}, {2, 0, exactly(1.215), exactly(1.215)}};
  expect(chosen(near_best, 3, 1, 1), "variants: of two within 2 % the earlier is taken");
  near_best[2].for_memcpy = near_best[2].for_memmove = exactly(1.3);
  expect(chosen(near_best, 3, 2, 2), "variants: the clearly best is taken");
  struct candidate small[] = {{0, 0, one, one},
                              {1, 0, exactly(1.2), exactly(1.2)},
                              {0, 1, exactly(1.5), exactly(1.4)},
                              {1, 1, exactly(1.51), exactly(1.6)},
                              {0, 2, exactly(1.49), exactly(1.39)}};
  expect(chosen(small, 5, 2, 3), "variants: one small path for both, the variant before it by symbol");
  small[2].for_memmove = small[3].for_memmove = small[4].for_memmove = exactly(0.4);
  expect(chosen(small, 5, 1, 1), "variants: a small path that ruins memmove is not taken for memcpy");
  struct candidate small_tie[] = {{0, 0, one, one}, {0, 1, exactly(1.01), exactly(1.02)}};
  expect(chosen(small_tie, 2, 0, 0), "variants: a small path needs a clear gain");
}

enum { SIZES = 10 };

/* Sizes from 1 KB, doubling; gains as given, 0: not measured. */
static void forge(struct point *points, const double *gains) {
  for (size_t i = 0; i < SIZES; i++)
    points[i] = (struct point){(size_t)1024 << i, gains[i] > 0 ? exactly(gains[i]) : (struct estimate){0}, gains[i],
                               exactly(1)};
}

static void check_window(void) {
  const struct window never = {SIZE_MAX, SIZE_MAX, 0}, intel = {4096, 0x2000000, 1};
  struct point points[SIZES];
  struct window window;
  forge(points, (double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  window = decision_window(points, SIZES, never);
  expect(window.min == SIZE_MAX, "window: no gain, no window");
  window = decision_window(points, SIZES, intel);
  expect(window.min == 4096 && window.max == 0x2000000 && window.skewed == 1,
         "window: no gain, the built-in one stays");
  forge(points, (double[]){0.5, 0.9, 1.1, 1.2, 1.2, 1.1, 0.8, 0.7, 0.7, 0.7});
  window = decision_window(points, SIZES, never);
  expect(window.min == 4096 && window.max == 65536 && !window.skewed, "window: the range that gains");
  points[3].skewed = exactly(0.6);
  expect(decision_window(points, SIZES, never).skewed, "window: slow at skewed distances, so they are left out");
  points[3].skewed = exactly(0.98);
  expect(!decision_window(points, SIZES, never).skewed, "window: 2 % slower there is tolerated");
  forge(points, (double[]){0.5, 0.9, 1.1, 1.2, 1.005, 1.2, 1.2, 1.1, 1.1, 1.1});
  window = decision_window(points, SIZES, never);
  expect(window.min == 4096 && window.max == SIZE_MAX,
         "window: one weak size does not split it, and it may have no end");
  forge(points, (double[]){0.9, 0.9, 0.9, 0.9, 1.3, 0.9, 0.9, 0.9, 0.9, 0.9});
  expect(decision_window(points, SIZES, never).min == SIZE_MAX, "window: a single size is none");
  forge(points, (double[]){0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.1, 1.1});
  expect(decision_window(points, SIZES, never).min == SIZE_MAX, "window: nor are two");
  forge(points, (double[]){0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.06, 1.07, 1.12});
  expect(decision_window(points, SIZES, never).min == SIZE_MAX, "window: three sizes that gain little are none");
  forge(points, (double[]){0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.12, 1.14, 1.2});
  expect(decision_window(points, SIZES, never).min != SIZE_MAX, "window: three that gain more are one");
  forge(points, (double[]){0.9, 1.01, 1.015, 1.01, 1.01, 1.015, 0.9, 0.9, 0.9, 0.9});
  expect(decision_window(points, SIZES, never).min == SIZE_MAX, "window: below 2 % is none");
  forge(points, (double[]){0.5, 0.9, 1.1, 1.05, 1.2, 1.15, 1.15, 1.15, 0.7, 0.7});
  points[4].worst = 0.5;
  window = decision_window(points, SIZES, never);
  expect(window.min == 32768 && window.max == 262144, "window: a size that one residency pays for is left out");
  forge(points, (double[]){0.4, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  expect(decision_window(points, SIZES, intel).min == SIZE_MAX, "window: a built-in one that only costs is dropped");
  forge(points, (double[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expect(decision_window(points, SIZES, never).min == SIZE_MAX && decision_window(points, SIZES, intel).min == 4096 &&
             decision_window(points, 0, never).min == SIZE_MAX,
         "window: nothing measured, nothing changed");

  static const size_t bounds[] = {64, 128, 256, 4096};
  struct estimate gains[] = {exactly(0.5), exactly(0.9), exactly(1.1), exactly(1.2)};
  expect(decision_skew(bounds, gains, 4) == 128, "skew: the bound above the last slow distance");
  gains[3] = exactly(0.5);
  expect(decision_skew(bounds, gains, 4) == 4096, "skew: up to the last bound");
  gains[0] = gains[1] = gains[3] = exactly(1);
  expect(decision_skew(bounds, gains, 4) == 0, "skew: 0 when no distance is slow");
}

static void check_threshold(void) {
  struct point points[SIZES];
  const size_t builtin = 524288; /* the last of the sizes */
  forge(points, (double[]){0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.2, 1.3, 1.4, 1.4});
  expect(decision_threshold(points, SIZES, builtin) == 65536, "threshold: where all larger sizes gain");
  points[6].worst = 1.05;
  expect(decision_threshold(points, SIZES, builtin) == 131072, "threshold: one size up where the first gains little");
  points[7].gain = exactly(0.99);
  expect(decision_threshold(points, SIZES, builtin) == 262144, "threshold: above the last size that does not");
  points[7].gain = vaguely(1.09);
  expect(decision_threshold(points, SIZES, builtin) == 262144, "threshold: a gain that may be chance does not count");
  points[7].gain = exactly(1.3);
  points[7].worst = 0.7;
  expect(decision_threshold(points, SIZES, builtin) == 262144, "threshold: not where readers of the copy pay for it");
  forge(points, (double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect(decision_threshold(points, SIZES, builtin) == builtin, "threshold: no gain, the built-in one stays");
  forge(points, (double[]){0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  expect(decision_threshold(points, SIZES, builtin) == SIZE_MAX, "threshold: never, when the built-in one only costs");
  expect(decision_threshold(points, SIZES, 1 << 30) == 1 << 30, "threshold: what was not measured stays");
  forge(points, (double[]){0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.3});
  expect(decision_threshold(points, SIZES, 4096) == builtin, "threshold: a built-in one that is too low is raised");
  forge(points, (double[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expect(decision_threshold(points, SIZES, builtin) == builtin && decision_threshold(points, 0, builtin) == builtin,
         "threshold: nothing measured, nothing changed");
  expect(!decision_restless(points, SIZES), "restless: nothing measured is not restless");
  forge(points, (double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect(!decision_restless(points, SIZES), "restless: narrow intervals are not");
  points[5].gain = (struct estimate){1.1, 0.7, 1.6};
  expect(decision_restless(points, SIZES), "restless: a loss or a gain of a quarter, both possible");
}

/* Repeated runs over the same machine, measured with noise, agree. */
static void check_repeatable(void) {
  enum { RUNS = 50, ROUNDS = 60, SUBJECTS = 4 };
  static double ns[ROUNDS * SUBJECTS];
  static const double truth[SUBJECTS] = {10, 10.05, 8, 7.95};
  struct choice first = {0, 0};
  unsigned differ = 0;
  for (int run = 0; run < RUNS; run++) {
    for (int i = 0; i < ROUNDS * SUBJECTS; i++)
      ns[i] = forged(truth[i % SUBJECTS], 0.05);
    struct series series = {ns, ROUNDS, SUBJECTS, 1, 0};
    struct candidate candidates[SUBJECTS] = {{0}};
    for (unsigned s = 0; s < SUBJECTS; s++) {
      candidates[s].variant = s;
      candidates[s].for_memcpy = candidates[s].for_memmove = decision_compare(&series, 1, 0, s);
    }
    struct choice choice = decision_variants(candidates, SUBJECTS);
    if (run == 0)
      first = choice;
    differ += choice.for_memcpy != first.for_memcpy || choice.for_memmove != first.for_memmove;
  }
  expect(first.for_memcpy == 2, "repeatable: of two equally good candidates the earlier");
  expect(differ == 0, "repeatable: 50 noisy runs choose the same");
}

static void check_levels(void) {
  enum { POINTS = 24 };
  size_t sizes[POINTS], edges[4];
  double flat[POINTS], steps[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    sizes[i] = (size_t)4096 << i / 2;
    if (i % 2)
      sizes[i] += sizes[i] / 2;
    flat[i] = 1;
    steps[i] = sizes[i] <= 32768 ? 1 : sizes[i] <= 524288 ? 1.5 : sizes[i] <= 4194304 ? 3 : 12;
  }
  expect(decision_edges(sizes, flat, POINTS, edges, 4) == 0, "edges: none in a flat curve");
  expect(decision_edges(sizes, steps, POINTS, edges, 4) == 3 && edges[0] == 32768 && edges[1] == 524288 &&
             edges[2] == 4194304,
         "edges: three levels");
  expect(decision_edges(sizes, steps, POINTS, edges, 1) == 1 && decision_edges(sizes, steps, 0, edges, 4) == 0,
         "edges: no more than there is room for");
  expect(decision_last_level(sizes, steps, POINTS, 262144) == 4194304, "last level: half way up to memory");
  expect(decision_last_level(sizes, flat, POINTS, 262144) == 0, "last level: none in a flat curve");
}

static void check_value(void) {
  struct estimate gains[4] = {exactly(1), exactly(1.01), vaguely(1.08), {0, 0, 0}};
  expect(decision_value(gains, 4) == 0, "value: nothing gains clearly, so that in force stays");
  expect(decision_value(gains, 1) == 0, "value: there is only one");
  gains[1] = exactly(1.19);
  gains[2] = exactly(1.2);
  expect(decision_value(gains, 4) == 1, "value: the first of two that gain alike");
  gains[2] = exactly(1.3);
  expect(decision_value(gains, 4) == 2, "value: the best of two");
  gains[1] = gains[2] = exactly(0.7);
  expect(decision_value(gains, 4) == 0, "value: all others lose");
}

int main(void) {
  check_figure();
  check_compare();
  check_variants();
  check_window();
  check_threshold();
  check_value();
  check_repeatable();
  check_levels();
  printf("%u failed\n", failures);
  return failures != 0;
}
