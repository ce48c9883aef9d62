/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "stages.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/candidates.h"
#include "live.h"
#include "output.h"

#define MB ((size_t)1 << 20)
#define PAGE ((size_t)4096)

/* Shares of the time, the rest being for what lies between. */
#define SHARE_LEVELS 0.04
#define SHARE_VARIANTS 0.33
#define SHARE_PAST 0.28
#define SHARE_WINDOW 0.15
#define SHARE_SKEW 0.04
#define SHARE_CHECK 0.12

static uint64_t share_end(const struct stages *stages, double share) {
  return now_ns() + (uint64_t)(share * stages->seconds * 1e9);
}

static uint64_t hard_end(const struct stages *stages) { return stages->start + (uint64_t)(stages->seconds * 1e9); }

static void progress(struct stages *stages, const char *what) {
  if (!stages->progress)
    return;
  double left = stages->seconds - (double)(now_ns() - stages->start) / 1e9;
  fprintf(stderr, "\r%-44s %3.0f s left ", what, left > 0 ? left : 0);
  fflush(stderr);
}

static int no_memory(void) {
  tune_error("not enough memory to measure");
  return -1;
}

/* One measured point for the curves. */
static void put_point(struct stages *stages, const char *stage, const char *scenario, const char *candidate,
                      const struct work *work, const struct samples *samples, unsigned subject) {
  double bytes = 0, ns = samples_figure(samples, subject);
  for (size_t i = 0; i < work->count; i++)
    bytes += work->operations[i].n;
  bytes /= (double)work->count;
  if (!(ns > 0))
    return;
  fprintf(
      stages->curves,
      "%s{\"stage\":\"%s\",\"scenario\":\"%s\",\"candidate\":\"%s\",\"size\":%.1f,\"ns\":%.3f,\"bytes_per_ns\":%.4f}",
      stages->points++ == 0 ? "" : ",", stage, scenario, candidate, bytes, ns, bytes / ns);
}

/* Keeps the points of a decision. The texts must last. 0, or -1 when memory is short. */
static int keep_points(struct stages *stages, const char *decision, const char *against, const struct point *points,
                       size_t count) {
  struct why *why = &stages->why;
  struct why_point *grown = realloc(why->points, (why->point_count + count + 1) * sizeof *grown);
  if (grown == NULL)
    return -1;
  why->points = grown;
  for (size_t i = 0; i < count; i++)
    grown[why->point_count++] = (struct why_point){decision, against, points[i]};
  return 0;
}

int stages_open(struct stages *stages) {
  static const struct fc_env no_environment;
  static const struct fc_table_entry no_entry;
  fc_plan_make(&stages->builtin, &fc_report.cpu, FC_TABLE_NOT_ASKED, &no_entry, &no_environment);
  stages->plan = stages->builtin;
  /* two buffers of the largest size, in no more than an eighth of the memory */
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  while (stages->largest > 4 * MB && 16 * (double)stages->largest > memory)
    stages->largest /= 2;
  if (arena_open(&stages->arena, arena_for(2 * stages->largest + 4 * PAGE)) != 0)
    return -1;
  return live_open();
}

void stages_close(struct stages *stages) {
  live_restore();
  arena_close(&stages->arena);
  if (stages->progress)
    fprintf(stderr, "\r%60s\r", "");
}

/* Working sets from the curve of cost against size; what the CPU reports fills the gaps. */

static size_t clamp(size_t value, size_t lowest, size_t highest) {
  return value < lowest ? lowest : value > highest ? highest : value;
}

struct prepared {
  struct work *works;
  struct samples *samples;
  size_t count;
};

static void prepared_free(struct prepared *prepared) {
  for (size_t i = 0; i < prepared->count; i++) {
    if (prepared->works != NULL)
      work_free(&prepared->works[i]);
    if (prepared->samples != NULL)
      samples_free(&prepared->samples[i]);
  }
  free(prepared->works);
  free(prepared->samples);
}

static int prepared_open(struct prepared *prepared, size_t count) {
  *prepared =
      (struct prepared){calloc(count, sizeof *prepared->works), calloc(count, sizeof *prepared->samples), count};
  return prepared->works == NULL || prepared->samples == NULL ? -1 : 0;
}

int stage_levels(struct stages *stages) {
  enum { POINTS = 48, EDGES = 4 };
  const struct subject subject = {"built-in", fc_entry_memcpy, &stages->builtin};
  size_t sizes[POINTS], edges[EDGES], count = 0, most = 2 * stages->largest;
  double cost[POINTS];
  for (size_t size = 8192; size <= most && count + 2 <= POINTS; size *= 2) {
    sizes[count++] = size;
    if (size + size / 2 <= most)
      sizes[count++] = size + size / 2;
  }
  struct prepared prepared;
  int result = prepared_open(&prepared, count);
  for (size_t i = 0; i < count && result == 0; i++) {
    size_t size = sizes[i] / 4 < 4096 ? sizes[i] / 4 : 4096;
    const struct band band = {size, size, 1};
    struct scenario scenario = {.bands = &band, .band_count = 1, .working_set = sizes[i]};
    scenario.operations = clamp(4 * sizes[i] / size, 64, 65536);
    result = scenario_work(&prepared.works[i], &scenario, &stages->arena, i + 1);
  }
  uint64_t end = share_end(stages, SHARE_LEVELS);
  const unsigned least = 10, enough = 100;
  for (unsigned pass = 0; result == 0 && pass < enough && (pass < least || now_ns() < end); pass++) {
    progress(stages, "caches");
    for (size_t i = 0; i < count && result == 0; i++)
      result = measure_round(&prepared.samples[i], &prepared.works[i], &subject, 1, NULL, &stages->random);
  }
  for (size_t i = 0; i < count && result == 0; i++) {
    char text[32];
    cost[i] = samples_figure(&prepared.samples[i], 0) / (double)prepared.works[i].operations[0].n;
    put_point(stages, "levels", output_size(text, sizes[i]), "built-in", &prepared.works[i], &prepared.samples[i], 0);
  }
  prepared_free(&prepared);
  if (result != 0)
    return no_memory();

  size_t found = decision_edges(sizes, cost, count, edges, EDGES);
  size_t l1 = stages->identity.l1d.bytes, l2 = stages->identity.l2.bytes;
  for (size_t i = 0; i < found; i++) {
    /* an edge stands for the cache whose reported size it comes near */
    if (edges[i] >= l1 / 2 && edges[i] <= 2 * l1)
      l1 = edges[i];
    else if (edges[i] >= l2 / 2 && edges[i] <= 2 * l2)
      l2 = edges[i];
  }
  stages->levels[LEVEL_L1] = clamp(l1 / 2, 16384, 65536);
  stages->levels[LEVEL_L2] = clamp(l2 / 2, 131072, 4 * MB);
  size_t last = decision_last_level(sizes, cost, count, stages->levels[LEVEL_L2]);
  if (last == 0)
    last = stages->identity.l3.bytes;
  stages->levels[LEVEL_L3] = clamp(last / 2, stages->levels[LEVEL_L2], most / 4);
  stages->levels[LEVEL_MEMORY] = most;
  return 0;
}

/* The variants, by the workload. */

#define CANDIDATES_MOST (FC_VARIANT_COUNT * FC_SMALL_PATHS_MOST)

static int add_candidate(struct candidate *candidates, size_t *count, unsigned variant, unsigned small) {
  for (size_t i = 0; i < *count; i++) {
    if (candidates[i].variant == variant && candidates[i].small == small)
      return 0;
  }
  candidates[(*count)++] = (struct candidate){.variant = variant, .small = small};
  return 1;
}

/*
 * The order settles ties: what is built in, then what the built-in rules could choose, then the others from the
 * last row up, since rows stand with the boldest first; all without the small path before any with it.
 */
static size_t list_candidates(const struct stages *stages, struct candidate *candidates) {
  /* the built-in rules know nothing of the memory, and what is copied here is cacheable; what is fast is measured */
  uint32_t avoid = (fc_builtin_avoid(&fc_report.cpu) & ~(uint32_t)(FC_DCBZ | FC_WIDE)) | FC_FORCED;
  size_t count = 0;
  for (unsigned small = 0; small < fc_candidates.small_count; small++) {
    if (small != 0 && (fc_params[fc_candidates.smalls[small].param].features & ~fc_report.cpu.features) != 0)
      continue;
    if (small == 0 || fc_candidates_small(stages->builtin.memcpy_variant, small))
      add_candidate(candidates, &count, stages->builtin.memcpy_variant, small);
    for (unsigned pass = 0; pass < 2; pass++) {
      for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
        unsigned variant = pass == 0 ? i : FC_VARIANT_COUNT - 1 - i;
        if (((fc_variants[variant].traits & FC_BUILTIN) != 0) != (pass == 0) ||
            !fc_variant_usable(variant, &fc_report.cpu) || (fc_variants[variant].traits & avoid) != 0 ||
            (small != 0 && !fc_candidates_small(variant, small)))
          continue;
        add_candidate(candidates, &count, variant, small);
      }
    }
  }
  return count;
}

static void set_small(struct fc_plan *plan, unsigned small) {
  fc_entry_small_off(plan->params);
  if (small != 0)
    plan->params[fc_candidates.smalls[small].param] = fc_candidates.smalls[small].value;
}

static int prepare_row(const struct stages *stages, struct work *work, const struct workload_row *row, uint64_t seed) {
  struct scenario scenario = row->scenario;
  scenario.working_set = stages->levels[row->level];
  return scenario_work(work, &scenario, &stages->arena, seed);
}

static struct estimate workload_gain(const struct stages *stages, const struct prepared *prepared, size_t subject,
                                     int for_memmove) {
  struct series series[prepared->count];
  for (size_t i = 0; i < prepared->count; i++) {
    const struct samples *samples = &prepared->samples[i];
    const struct workload_row *row = &stages->workload->rows[i];
    series[i] = (struct series){samples->ns, samples->rounds, samples->subjects,
                                for_memmove ? row->for_memmove : row->for_memcpy, 0};
  }
  return decision_compare(series, prepared->count, 0, subject);
}

/*
 * Brings the gains of the active candidates up to date; drops those that are `hopeless` times behind after `rounds` of
 * them. Returns whether all is decided.
 */
static int weigh(const struct stages *stages, struct candidate *candidates, size_t count, unsigned char *active,
                 const struct prepared *prepared, double hopeless, unsigned rounds) {
  double best_memcpy = 1, best_memmove = 1;
  int narrow = 1;
  struct why_candidate *why = stages->why.candidates;
  for (size_t i = 0; i < count; i++) {
    if (!active[i])
      continue;
    candidates[i].for_memcpy = workload_gain(stages, prepared, i, 0);
    candidates[i].for_memmove = workload_gain(stages, prepared, i, 1);
    best_memcpy = candidates[i].for_memcpy.low > best_memcpy ? candidates[i].for_memcpy.low : best_memcpy;
    best_memmove = candidates[i].for_memmove.low > best_memmove ? candidates[i].for_memmove.low : best_memmove;
    narrow &= candidates[i].for_memcpy.high < 1.008 * candidates[i].for_memcpy.low;
    why[i].candidate = candidates[i];
    why[i].rounds = rounds;
  }
  for (size_t i = 1; i < count; i++) {
    if (active[i] && candidates[i].for_memcpy.high * hopeless < best_memcpy &&
        candidates[i].for_memmove.high * hopeless < best_memmove) {
      active[i] = 0;
      why[i].dropped = 1;
      candidates[i].for_memcpy = candidates[i].for_memmove = (struct estimate){0};
    }
  }
  return narrow;
}

const char *stage_candidate_name(char *text, size_t size, const struct candidate *candidate) {
  const char *variant = fc_variants[candidate->variant].name;
  if (candidate->small == 0)
    snprintf(text, size, "%s", variant);
  else
    snprintf(text, size, "%s, %s=%zu", variant, fc_params[fc_candidates.smalls[candidate->small].param].name,
             fc_candidates.smalls[candidate->small].value);
  return text;
}

int stage_variants(struct stages *stages) {
  struct candidate candidates[CANDIDATES_MOST + 1];
  struct fc_plan plans[CANDIDATES_MOST + 1];
  struct subject subjects[CANDIDATES_MOST + 1];
  unsigned char active[CANDIDATES_MOST + 1];
  size_t count = list_candidates(stages, candidates), control = count;
  for (size_t i = 0; i <= count; i++) {
    plans[i] = stages->builtin;
    active[i] = 1;
    subjects[i] = (struct subject){.function = fc_entry_memcpy, .plan = &plans[i]};
    if (i == control)
      continue;
    plans[i].memcpy_variant = plans[i].memmove_variant = candidates[i].variant;
    set_small(&plans[i], candidates[i].small);
  }
  struct prepared prepared;
  int result = prepared_open(&prepared, stages->workload->count);
  stages->why.candidates = calloc(count, sizeof *stages->why.candidates);
  stages->why.candidate_count = count;
  if (stages->why.candidates == NULL)
    result = -1;
  for (size_t i = 0; i < prepared.count && result == 0; i++)
    result = prepare_row(stages, &prepared.works[i], &stages->workload->rows[i], i + 1);

  uint64_t end = share_end(stages, SHARE_VARIANTS);
  const unsigned most = 400, least = 12;
  for (unsigned pass = 0; result == 0 && pass < most && (pass < least || now_ns() < end); pass++) {
    progress(stages, "variants, small sizes");
    for (size_t i = 0; i < prepared.count && result == 0; i++)
      result = measure_round(&prepared.samples[i], &prepared.works[i], subjects, (unsigned)count + 1, active,
                             &stages->random);
    /* few rounds may all have been disturbed: at first only what is far behind is dropped */
    if (result == 0 && pass == 5)
      weigh(stages, candidates, count, active, &prepared, 1.3, pass + 1);
    else if (result == 0 && pass % 40 == 39 && weigh(stages, candidates, count, active, &prepared, 1.04, pass + 1) &&
             pass >= 79)
      break;
  }
  if (result == 0) {
    weigh(stages, candidates, count, active, &prepared, 1.04, prepared.samples[0].rounds);
    stages->same = workload_gain(stages, &prepared, control, 0);
    for (size_t i = 0; i < prepared.count; i++) {
      for (size_t s = 0; s < count; s++) {
        char text[64];
        put_point(stages, "variants", stages->workload->rows[i].scenario.name,
                  stage_candidate_name(text, sizeof text, &candidates[s]), &prepared.works[i], &prepared.samples[i],
                  (unsigned)s);
      }
    }
    struct choice choice = decision_variants(candidates, count);
    stages->why.candidates[choice.for_memcpy].for_memcpy = 1;
    stages->why.candidates[choice.for_memmove].for_memmove = 1;
    stages->plan.memcpy_variant = candidates[choice.for_memcpy].variant;
    stages->plan.memmove_variant = candidates[choice.for_memmove].variant;
    if (choice.for_memcpy != 0)
      set_small(&stages->plan, candidates[choice.for_memcpy].small);
  }
  prepared_free(&prepared);
  return result == 0 ? 0 : no_memory();
}

/* Large sizes: one way of copying against the ordinary loop, size by size. */

struct cell {
  size_t point; /* index of its size */
  int skewed;
  char name[72];
  struct scenario scenario;
  struct band band;
  struct work work;
  struct samples samples;
};

struct cells {
  struct cell *cells;
  size_t count;
};

static void cells_free(struct cells *cells) {
  for (size_t i = 0; i < cells->count; i++) {
    work_free(&cells->cells[i].work);
    samples_free(&cells->cells[i].samples);
  }
  free(cells->cells);
  *cells = (struct cells){0};
}

/* working_set: at least what the size needs at any offset within a page is taken. */
static int add_cell(const struct stages *stages, struct cells *cells, size_t point, size_t size, const char *where,
                    size_t working_set, struct scenario scenario) {
  struct cell *grown = realloc(cells->cells, (cells->count + 1) * sizeof *grown);
  if (grown == NULL)
    return -1;
  cells->cells = grown;
  struct cell *cell = &grown[cells->count++];
  *cell = (struct cell){.point = point, .skewed = scenario.place == PLACE_SKEWED, .band = {size, size, 1}};
  char text[32];
  snprintf(cell->name, sizeof cell->name, "%s %s", output_size(text, size), where);
  size_t least = 2 * (size + PAGE);
  working_set = working_set < least ? least : working_set;
  cell->scenario = scenario;
  cell->scenario.working_set = working_set;
  cell->scenario.bands = &cell->band;
  cell->scenario.band_count = 1;
  cell->scenario.operations = clamp(4 * working_set / size, 16, 65536);
  int result = scenario_work(&cell->work, &cell->scenario, &stages->arena, cells->count);
  cell->scenario.bands = NULL; /* the list moves when it grows */
  return result;
}

/* Ordinary copies, at most from the smallest level that holds the size down to memory. */
static int add_level_cells(const struct stages *stages, struct cells *cells, size_t point, size_t size) {
  static const char *const names[LEVEL_COUNT] = {"L1", "L2", "L3", "memory"};
  int result = 0, first = 1;
  for (unsigned level = 0; level < LEVEL_COUNT && result == 0; level++) {
    size_t working_set = stages->levels[level];
    if (level != LEVEL_MEMORY && 2 * (size + PAGE) > working_set)
      continue;
    /* single small copies from memory are a wait for memory, whatever copies them */
    if (level == LEVEL_MEMORY && !first && size < 65536)
      continue;
    struct scenario scenario = {.place = PLACE_APART};
    result = add_cell(stages, cells, point, size, names[level], working_set, scenario);
    if (first && result == 0) {
      scenario.place = PLACE_PAGES;
      result = add_cell(stages, cells, point, size, "page-aligned", working_set, scenario);
    }
    if (first && result == 0) {
      scenario = (struct scenario){.place = PLACE_SKEWED, .skew_low = 1, .skew_high = 64};
      result = add_cell(stages, cells, point, size, "skewed", working_set, scenario);
    }
    first = 0;
  }
  return result;
}

/* Turns for all cells until the time is up. hopeless: may find after some rounds that nothing can be gained. */
static int measure_cells(struct stages *stages, struct cells *cells, const struct subject *subjects, unsigned count,
                         double share, const char *what, int (*hopeless)(const struct cells *cells)) {
  uint64_t end = share_end(stages, share);
  const unsigned least = cells->count != 0 && cells->cells[0].samples.rounds >= 5 ? 1 : 5, most = 300;
  for (unsigned pass = 0; pass < most && (pass < least || now_ns() < end); pass++) {
    for (size_t i = 0; i < cells->count; i++) {
      /* a machine too slow for the rounds that are wanted at least still ends in time */
      uint64_t now = now_ns();
      if ((pass >= least && now >= end) || (pass > 0 && now >= hard_end(stages)))
        break;
      progress(stages, what);
      if (measure_round(&cells->cells[i].samples, &cells->cells[i].work, subjects, count, NULL, &stages->random) != 0)
        return -1;
    }
    if (pass == 7 && hopeless != NULL && hopeless(cells))
      break;
  }
  return 0;
}

/* The gains of a subject over another at one size, skewed cells apart. */
static struct point point_of(const struct cells *cells, size_t point, size_t size, size_t reference, size_t subject) {
  struct series series[16], skewed = {0};
  size_t count = 0;
  struct point result = {.size = size, .worst = 1e9};
  for (size_t i = 0; i < cells->count; i++) {
    const struct samples *samples = &cells->cells[i].samples;
    if (cells->cells[i].point != point || count == 16)
      continue;
    struct series one = {samples->ns, samples->rounds, samples->subjects, 1, 1};
    if (cells->cells[i].skewed) {
      skewed = one;
      continue;
    }
    series[count++] = one;
    double ratio = decision_compare(&one, 1, reference, subject).ratio;
    result.worst = ratio < result.worst ? ratio : result.worst;
  }
  result.gain = decision_compare(series, count, reference, subject);
  if (skewed.ns != NULL)
    result.skewed = decision_compare(&skewed, 1, reference, subject);
  return result;
}

static void put_cells(struct stages *stages, const struct cells *cells, const char *stage,
                      const struct subject *subjects, unsigned count) {
  for (size_t i = 0; i < cells->count; i++) {
    for (unsigned s = 0; s < count; s++)
      put_point(stages, stage, cells->cells[i].name, subjects[s].name, &cells->cells[i].work, &cells->cells[i].samples,
                s);
  }
}

static int nowhere_faster(const struct cells *cells) {
  for (size_t i = 0; i < cells->count; i++) {
    const struct samples *samples = &cells->cells[i].samples;
    if (!cells->cells[i].skewed && samples_figure(samples, 0) > 0.97 * samples_figure(samples, 1))
      return 0;
  }
  return 1;
}

/* Distances that the window's way of copying is slow at. */
static int find_skew(struct stages *stages, const struct window *window, const struct subject *subjects, size_t *skew) {
  static const size_t bounds[] = {64, 128, 256, 512, 1024, 2048, 4096};
  enum { BOUNDS = sizeof bounds / sizeof *bounds };
  size_t sizes[3] = {window->min, window->min, 0}, count = 0;
  while (sizes[1] * 2 < window->max && sizes[1] < 65536)
    sizes[1] *= 2;
  struct cells cells = {0};
  int result = 0;
  for (size_t b = 0; b < BOUNDS && result == 0; b++) {
    for (size_t s = 0; s < (sizes[1] == sizes[0] ? 1 : 2) && result == 0; s++) {
      struct scenario scenario = {
          .place = PLACE_SKEWED, .skew_low = b == 0 ? 1 : (unsigned)bounds[b - 1], .skew_high = (unsigned)bounds[b]};
      char text[40], from[32];
      snprintf(text, sizeof text, "distance below %s", output_size(from, bounds[b]));
      result = add_cell(stages, &cells, b, sizes[s], text, 2 * (sizes[s] + 2 * PAGE), scenario);
      if (result == 0)
        cells.cells[cells.count - 1].skewed = 0; /* here the distances are the point */
    }
  }
  if (result == 0)
    result = measure_cells(stages, &cells, subjects, 2, SHARE_SKEW, subjects[1].name, NULL);
  struct estimate gains[BOUNDS];
  struct point points[BOUNDS];
  for (size_t b = 0; b < BOUNDS && result == 0; b++, count++) {
    points[b] = point_of(&cells, b, bounds[b], 0, 1);
    gains[b] = points[b].gain;
  }
  if (result == 0)
    result = keep_points(stages, fc_params[fc_candidates.window_skew].name, "loop, by distance", points, count);
  if (result == 0) {
    put_cells(stages, &cells, "distances", subjects, 2);
    *skew = decision_skew(bounds, gains, count);
  }
  cells_free(&cells);
  return result;
}

/* The plan's way of copying large sizes by the loop alone, by the window's way alone, and past the cache alone. */
enum { LOOP, WINDOW, PAST, WAYS };

static unsigned list_ways(const struct stages *stages, struct fc_plan *plans, struct subject *ways) {
  const struct fc_candidates *params = &fc_candidates;
  int min = params->window_min, past = params->non_temporal_min;
  for (unsigned i = 0; i < WAYS; i++) {
    plans[i] = stages->plan;
    ways[i] = (struct subject){"loop", fc_entry_memcpy, &plans[i]};
    if (min >= 0)
      plans[i].params[min] = SIZE_MAX;
    if (past >= 0)
      plans[i].params[past] = SIZE_MAX;
  }
  if (min >= 0) {
    plans[WINDOW].params[min] = fc_params[min].lowest;
    plans[WINDOW].params[params->window_max] = SIZE_MAX;
    if (params->window_skew >= 0)
      plans[WINDOW].params[params->window_skew] = 0;
    ways[WINDOW].name = fc_params[min].name;
  }
  if (past >= 0) {
    plans[PAST].params[past] = fc_params[past].lowest;
    ways[PAST].name = fc_params[past].name;
  }
  return past >= 0 ? WAYS : min >= 0 ? PAST : WINDOW;
}

/* Sizes below `end`. */
static int find_window(struct stages *stages, const struct subject *ways, size_t end, struct window *window) {
  enum { POINTS = 14 };
  const struct fc_candidates *params = &fc_candidates;
  struct cells cells = {0};
  struct point points[POINTS];
  size_t count = 0;
  int result = 0;
  for (size_t size = 512; count < POINTS && size < end && size <= 4 * MB && size <= stages->largest && result == 0;
       size *= 2) {
    points[count].size = size;
    result = add_level_cells(stages, &cells, count, size);
    count++;
  }
  if (result == 0)
    result = measure_cells(stages, &cells, ways, PAST, SHARE_WINDOW, ways[WINDOW].name, nowhere_faster);
  if (result == 0) {
    put_cells(stages, &cells, "window", ways, PAST);
    for (size_t i = 0; i < count; i++)
      points[i] = point_of(&cells, i, points[i].size, LOOP, WINDOW);
    size_t *now = stages->plan.params, skew = params->window_skew >= 0 ? now[params->window_skew] : 0;
    struct window builtin = {now[params->window_min], now[params->window_max], skew != 0};
    *window = decision_window(points, count, builtin);
    result = keep_points(stages, ways[WINDOW].name, ways[LOOP].name, points, count);
    int moved = window->min != builtin.min || window->max != builtin.max;
    now[params->window_min] = window->min;
    now[params->window_max] = window->max;
    if (result == 0 && params->window_skew >= 0 && (moved || window->skewed != builtin.skewed)) {
      skew = 0;
      if (window->skewed && window->min != SIZE_MAX)
        result = find_skew(stages, window, ways, &skew);
      now[params->window_skew] = skew == 0 && window->skewed ? 64 : skew;
    }
  }
  cells_free(&cells);
  return result;
}

/* One number of a bulk loop, over all sizes that the loop may be used for. */
static int find_bulk_param(struct stages *stages, struct fc_plan *plan, const struct fc_candidate_param *tried) {
  enum { SERIES = 32 };
  struct fc_plan plans[FC_BULK_VALUES_MOST + 1];
  struct subject subjects[FC_BULK_VALUES_MOST + 1];
  char names[FC_BULK_VALUES_MOST + 1][40];
  struct estimate gains[FC_BULK_VALUES_MOST + 1];
  struct series series[SERIES];
  struct cells cells = {0};
  unsigned count = 0;
  size_t series_count = 0, now = plan->params[tried->param];
  for (unsigned i = 0; i <= tried->count; i++) {
    size_t value = i == 0 ? now : tried->values[i - 1];
    if (i != 0 && value == now)
      continue;
    plans[count] = *plan;
    plans[count].params[tried->param] = value;
    snprintf(names[count], sizeof names[count], "%s=%zu", fc_params[tried->param].name, value);
    subjects[count] = (struct subject){names[count], fc_entry_memcpy, &plans[count]};
    count++;
  }
  int result = 0;
  for (size_t size = 1024; size <= MB && size <= stages->largest && result == 0; size *= 8)
    result = add_level_cells(stages, &cells, size, size);
  if (result == 0)
    result = measure_cells(stages, &cells, subjects, count, SHARE_WINDOW / fc_candidates.bulk_count,
                           fc_params[tried->param].name, NULL);
  for (size_t i = 0; i < cells.count && result == 0 && series_count < SERIES; i++) {
    const struct samples *samples = &cells.cells[i].samples;
    if (!cells.cells[i].skewed)
      series[series_count++] = (struct series){samples->ns, samples->rounds, samples->subjects, 1, 1};
  }
  if (result == 0) {
    put_cells(stages, &cells, "bulk", subjects, count);
    for (unsigned i = 0; i < count; i++)
      gains[i] = decision_compare(series, series_count, 0, i);
    *plan = plans[decision_value(gains, count)];
    struct point points[FC_BULK_VALUES_MOST + 1];
    for (unsigned i = 0; i < count; i++)
      points[i] = (struct point){.size = plans[i].params[tried->param], .gain = gains[i]};
    result = keep_points(stages, fc_params[tried->param].name, "value in force", points, count);
  }
  cells_free(&cells);
  return result;
}

/* The loop of the plan's variants against the one of those that are like them for small sizes. */
static int find_bulk(struct stages *stages) {
  enum { POINTS = 14 };
  const int min = fc_candidates.bulk_min;
  struct fc_plan plain = stages->plan, bulk = stages->plan;
  bulk.memcpy_variant = fc_candidates_bulk(plain.memcpy_variant, &fc_report.cpu);
  bulk.memmove_variant = fc_candidates_bulk(plain.memmove_variant, &fc_report.cpu);
  if (bulk.memcpy_variant == FC_VARIANT_COUNT)
    return 0;
  if (bulk.memmove_variant == FC_VARIANT_COUNT)
    bulk.memmove_variant = plain.memmove_variant;
  size_t builtin = bulk.memcpy_variant == plain.memcpy_variant ? plain.params[min] : SIZE_MAX;
  bulk.params[min] = fc_params[min].lowest;
  plain.params[min] = SIZE_MAX;
  int result = 0;
  for (unsigned i = 0; i < fc_candidates.bulk_count && result == 0; i++)
    result = find_bulk_param(stages, &bulk, &fc_candidates.bulk[i]);

  const struct subject loops[2] = {{"loop", fc_entry_memcpy, &plain}, {fc_params[min].name, fc_entry_memcpy, &bulk}};
  struct cells cells = {0};
  struct point points[POINTS];
  size_t count = 0;
  for (size_t size = fc_params[min].lowest; count < POINTS && size <= stages->largest && result == 0; size *= 2) {
    points[count].size = size;
    result = add_level_cells(stages, &cells, count, size);
    count++;
  }
  if (result == 0)
    result = measure_cells(stages, &cells, loops, 2, SHARE_PAST, loops[1].name, nowhere_faster);
  if (result == 0) {
    put_cells(stages, &cells, "bulk", loops, 2);
    for (size_t i = 0; i < count; i++)
      points[i] = point_of(&cells, i, points[i].size, 0, 1);
    size_t from = decision_threshold(points, count, builtin);
    result = keep_points(stages, loops[1].name, loops[0].name, points, count);
    if (from != SIZE_MAX) {
      stages->plan = bulk;
      stages->plan.params[min] = from;
    } else if (builtin != SIZE_MAX) {
      stages->plan.params[min] = SIZE_MAX;
    }
  }
  cells_free(&cells);
  return result;
}

int stage_large(struct stages *stages) {
  enum { POINTS = 9 };
  struct fc_plan plans[WAYS];
  struct subject ways[WAYS];
  struct cells cells = {0};
  struct point points[POINTS];
  size_t count = 0, end = SIZE_MAX;
  int past = fc_candidates.non_temporal_min, result = 0;
  unsigned way_count = list_ways(stages, plans, ways);
  if (past >= 0) {
    for (size_t size = 256 * 1024; count < POINTS && size <= stages->largest && result == 0; size *= 2) {
      points[count].size = size;
      /* half the copies are looked at afterwards, and those must not pay for the others */
      struct scenario scenario = {.next = NEXT_NOTHING};
      result = add_cell(stages, &cells, count, size, "copied", 0, scenario);
      scenario.next = NEXT_READ;
      if (result == 0)
        result = add_cell(stages, &cells, count, size, "copied and read", 0, scenario);
      count++;
    }
    if (result == 0)
      result = measure_cells(stages, &cells, ways, way_count, SHARE_PAST, ways[PAST].name, NULL);
    /* more rounds while memory is restless, as long as what follows has its share */
    uint64_t latest =
        stages->start + (uint64_t)((0.97 - SHARE_WINDOW - SHARE_SKEW - SHARE_CHECK) * stages->seconds * 1e9);
    while (result == 0) {
      for (size_t i = 0; i < count; i++)
        points[i] = point_of(&cells, i, points[i].size, LOOP, PAST);
      stages->restless = decision_restless(points, count);
      if (!stages->restless || now_ns() >= latest)
        break;
      result = measure_cells(stages, &cells, ways, way_count, 0.03, ways[PAST].name, NULL);
    }
    if (result == 0) {
      put_cells(stages, &cells, "past the cache", ways, way_count);
      end = decision_threshold(points, count, stages->builtin.params[past]);
      stages->plan.params[past] = end;
      result = keep_points(stages, ways[PAST].name, ways[LOOP].name, points, count);
    }
  }
  if (result == 0 && fc_candidates.window_min >= 0) {
    struct window window = {SIZE_MAX, SIZE_MAX, 0};
    result = find_window(stages, ways, end, &window);
    /* a window without an end is what stores past the cache have to beat */
    if (result == 0 && past >= 0 && window.min != SIZE_MAX && window.max >= end) {
      for (size_t i = 0; i < count; i++)
        points[i] = point_of(&cells, i, points[i].size, WINDOW, PAST);
      stages->plan.params[past] = decision_threshold(points, count, end);
      result = keep_points(stages, ways[PAST].name, ways[WINDOW].name, points, count);
    }
  }
  cells_free(&cells);
  if (result == 0 && fc_candidates.bulk_min >= 0)
    result = find_bulk(stages);
  return result == 0 ? 0 : no_memory();
}

/* The whole plan against the built-in one and the C library, measured anew. */

static copy_function *of_system(const char *symbol) {
  void *libc = dlopen(LIBC_SO, RTLD_NOLOAD | RTLD_LAZY);
  return libc == NULL ? NULL : (copy_function *)dlsym(libc, symbol);
}

static int same_plan(const struct fc_plan *a, const struct fc_plan *b) {
  return a->memcpy_variant == b->memcpy_variant && a->memmove_variant == b->memmove_variant &&
         memcmp(a->params, b->params, sizeof a->params) == 0;
}

struct check_row {
  struct checked checked;
  struct work work;
  struct samples samples;
  size_t from; /* row of the workload, or its count */
};

int stage_check(struct stages *stages, struct checked **checked, size_t *count, struct estimate *weighted) {
  enum { SYSTEM, BUILTIN, PLAN, SUBJECTS };
  static const struct {
    size_t size;
    enum level level;
    enum next next;
    enum place place;
    const char *group;
  } large[] = {
      {4096, LEVEL_L1, NEXT_NOTHING, PLACE_PAGES, "blocks"},
      {16384, LEVEL_L2, NEXT_NOTHING, PLACE_APART, "blocks"},
      {16384, LEVEL_L2, NEXT_NOTHING, PLACE_SKEWED, "blocks"},
      {65536, LEVEL_L3, NEXT_NOTHING, PLACE_APART, "blocks"},
      {262144, LEVEL_L3, NEXT_NOTHING, PLACE_APART, "blocks"},
      {MB, LEVEL_MEMORY, NEXT_NOTHING, PLACE_APART, "large"},
      {MB, LEVEL_MEMORY, NEXT_READ, PLACE_APART, "large, read afterwards"},
      {8 * MB, LEVEL_MEMORY, NEXT_NOTHING, PLACE_APART, "large"},
      {8 * MB, LEVEL_MEMORY, NEXT_READ, PLACE_APART, "large, read afterwards"},
      {32 * MB, LEVEL_MEMORY, NEXT_NOTHING, PLACE_APART, "large"},
      {32 * MB, LEVEL_MEMORY, NEXT_READ, PLACE_APART, "large, read afterwards"},
  };
  enum { LARGE = sizeof large / sizeof *large };
  static const char *const level_names[LEVEL_COUNT] = {"L1", "L2", "L3", "memory"};
  copy_function *system_memcpy = of_system("memcpy"), *system_memmove = of_system("memmove");
  if (system_memcpy == NULL || system_memmove == NULL) {
    tune_error("the C library's memcpy was not found");
    return -1;
  }
  struct check_row *rows = calloc(2 * stages->workload->count + LARGE, sizeof *rows);
  size_t n = 0;
  int result = rows == NULL ? -1 : 0;
  for (int for_memmove = 0; for_memmove < 2; for_memmove++) {
    for (size_t i = 0; i < stages->workload->count && result == 0; i++) {
      const struct workload_row *from = &stages->workload->rows[i];
      double weight = for_memmove ? from->for_memmove : from->for_memcpy;
      if (!(weight > 0))
        continue;
      rows[n].from = i;
      rows[n].checked = (struct checked){.group = from->scenario.group, .for_memmove = for_memmove, .weight = weight};
      snprintf(rows[n].checked.name, sizeof rows[n].checked.name, "%s", from->scenario.name);
      result = prepare_row(stages, &rows[n++].work, from, i + 101);
    }
  }
  for (size_t i = 0; i < LARGE && result == 0; i++) {
    char text[32];
    size_t size = large[i].size;
    if (size > stages->largest || 2 * (size + PAGE) > stages->levels[large[i].level])
      continue;
    const struct band band = {size, size, 1};
    struct scenario scenario = {.bands = &band,
                                .band_count = 1,
                                .working_set = stages->levels[large[i].level],
                                .next = large[i].next,
                                .place = large[i].place,
                                .skew_low = 1,
                                .skew_high = 64};
    scenario.operations = clamp(4 * scenario.working_set / size, 16, 65536);
    rows[n].from = stages->workload->count;
    rows[n].checked = (struct checked){.group = large[i].group};
    snprintf(rows[n].checked.name, sizeof rows[n].checked.name, "%s, %s%s", output_size(text, size),
             level_names[large[i].level],
             large[i].place == PLACE_SKEWED  ? ", skewed"
             : large[i].place == PLACE_PAGES ? ", page-aligned"
             : large[i].next == NEXT_READ    ? ", read afterwards"
                                             : "");
    result = scenario_work(&rows[n++].work, &scenario, &stages->arena, i + 201);
  }

  unsigned subjects_count = same_plan(&stages->plan, &stages->builtin) ? PLAN : SUBJECTS;
  struct subject subjects[2][SUBJECTS] = {{{"system", system_memcpy, NULL},
                                           {"built-in", fc_entry_memcpy, &stages->builtin},
                                           {"plan", fc_entry_memcpy, &stages->plan}},
                                          {{"system", system_memmove, NULL},
                                           {"built-in", fc_entry_memmove, &stages->builtin},
                                           {"plan", fc_entry_memmove, &stages->plan}}};
  uint64_t end = share_end(stages, SHARE_CHECK);
  const unsigned least = 5, most = 300;
  for (unsigned pass = 0; result == 0 && pass < most && (pass < least || now_ns() < end); pass++) {
    for (size_t i = 0; i < n && result == 0; i++) {
      uint64_t now = now_ns();
      if ((pass >= least && now >= end) || (pass > 0 && now >= hard_end(stages)))
        break;
      progress(stages, "check of the plan");
      result = measure_round(&rows[i].samples, &rows[i].work, subjects[rows[i].checked.for_memmove], subjects_count,
                             NULL, &stages->random);
    }
  }
  *checked = result == 0 ? calloc(n + 1, sizeof **checked) : NULL;
  if (*checked == NULL)
    result = -1;
  struct series *series = calloc(n + 1, sizeof *series);
  if (series == NULL)
    result = -1;
  size_t plan = subjects_count == SUBJECTS ? PLAN : BUILTIN, weights = 0;
  for (size_t i = 0; i < n && result == 0; i++) {
    const struct samples *samples = &rows[i].samples;
    struct checked *to = &(*checked)[i];
    *to = rows[i].checked;
    struct series one = {samples->ns, samples->rounds, samples->subjects, 1, to->weight > 0 ? 0 : 1};
    to->system = samples_figure(samples, SYSTEM);
    to->builtin = samples_figure(samples, BUILTIN);
    to->plan = samples_figure(samples, (unsigned)plan);
    to->over_builtin = decision_compare(&one, 1, BUILTIN, plan);
    to->over_system = decision_compare(&one, 1, SYSTEM, plan);
    for (unsigned s = 0; s < subjects_count; s++)
      put_point(stages, to->for_memmove ? "check of memmove" : "check", to->name, subjects[0][s].name, &rows[i].work,
                samples, s);
    if (to->weight > 0 && !to->for_memmove) {
      one.weight = to->weight;
      series[weights++] = one;
    }
  }
  if (result == 0) {
    *weighted = decision_compare(series, weights, BUILTIN, plan);
    *count = n;
  }
  for (size_t i = 0; i < n; i++) {
    work_free(&rows[i].work);
    samples_free(&rows[i].samples);
  }
  free(series);
  free(rows);
  return result == 0 ? 0 : no_memory();
}
