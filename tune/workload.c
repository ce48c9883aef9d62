/* SPDX-License-Identifier: MIT */
#include "workload.h"

#include <math.h>
#include <stdlib.h>

#include "tune.h"

#define MANY 131072 /* no branch predictor learns them */
#define FEW 256     /* every one does */

/*
 * What no recording tells, and is assumed of all programs:
 * - A copy is read at once, or its source was just written, in a fifth of the calls at least, and in a fifth of those
 *   it is one that a compiler would have made of single words; that keeps strategies out that only win when nobody
 *   looks at the copy.
 * - Of the small copies a tenth, of the blocks a third, find their data a level further out than the others.
 * - A call costs as much as 256 bytes of a copy. Beyond 64 KB more bytes are no more weight: what is best there is
 *   measured size by size, for all workloads alike.
 */
#define CONSUMED_LEAST 0.2
#define FORWARDED_LEAST 0.04 /* of these */
#define SMALL_FROM_L2 0.1
#define BLOCKS_FROM_L3 (1.0 / 3)
#define CALL_BYTES 256.0
#define SIZE_COUNTED 65536

#define LEAST_WEIGHT 0.003 /* a row below it only takes time */

enum row {
  SMALL,
  PREDICTABLE,
  CONSUMED,
  FORWARDED,
  SMALL_L2,
  MEDIUM,
  RECORDS,
  BLOCKS_L2,
  BLOCKS_L3,
  OVERLAP_SHORT,
  OVERLAP_LONG,
  ROWS
};

static const struct workload_row templates[ROWS] = {
    [SMALL] = {{"small, not predictable", "small", .operations = MANY}, LEVEL_L1, 0, 0},
    [PREDICTABLE] = {{"small, predictable", "small, predictable", .operations = FEW}, LEVEL_L1, 0, 0},
    [CONSUMED] = {{"small, copy read at once", "read at once", .operations = MANY, .next = NEXT_CONSUMED},
                  LEVEL_L1,
                  0,
                  0},
    [FORWARDED] = {{"small, stored, copied, loaded", "read at once", .operations = FEW, .next = NEXT_FORWARD},
                   LEVEL_L1,
                   0,
                   0},
    [SMALL_L2] = {{"small, from L2", "small", .operations = MANY}, LEVEL_L2, 0, 0},
    [MEDIUM] = {{"65 to 1K, not predictable", "medium", .operations = MANY}, LEVEL_L1, 0, 0},
    [RECORDS] = {{"1K to 4K, L1", "medium", .operations = 4096}, LEVEL_L1, 0, 0},
    [BLOCKS_L2] = {{"4K to 64K, L2", "blocks", .operations = 1024}, LEVEL_L2, 0, 0},
    [BLOCKS_L3] = {{"4K to 64K, L3", "blocks", .operations = 1024}, LEVEL_L3, 0, 0},
    [OVERLAP_SHORT] = {{"up to 256, overlapping", "overlapping", .operations = MANY, .place = PLACE_NEAR},
                       LEVEL_L1,
                       0,
                       0},
    [OVERLAP_LONG] = {{"256 to 64K, overlapping", "overlapping", .operations = 4096, .place = PLACE_NEAR},
                      LEVEL_L1,
                      0,
                      0},
};

/* A row that grows. */
struct growing {
  struct band *bands;
  size_t count;
  double cost[RECORD_FUNCTIONS];
};

/* Calls of one function with sizes of one kind; where they go. */
struct calls {
  enum record_function function;
  struct band band; /* share: left open */
  double bytes;     /* of a call, in the mean */
  double weight;    /* of one call, before its bytes are counted */
  double count, same, again, consumed, overlap;
};

static int add_band(struct growing *row, struct band band) {
  for (size_t i = 0; i < row->count; i++) {
    if (row->bands[i].low == band.low && row->bands[i].high == band.high) {
      row->bands[i].share += band.share;
      return 0;
    }
  }
  struct band *bands = realloc(row->bands, (row->count + 1) * sizeof *bands);
  if (bands == NULL)
    return -1;
  row->bands = bands;
  row->bands[row->count++] = band;
  return 0;
}

static double cost_of(const struct calls *calls) {
  double bytes = calls->bytes < SIZE_COUNTED ? calls->bytes : SIZE_COUNTED;
  return 1 + bytes / CALL_BYTES;
}

/* `weighed` of `count` calls count for the row; the sizes of all of them occur in it. */
static int give(struct growing *row, const struct calls *calls, double count, double weighed) {
  if (!(count > 0))
    return 0;
  row->cost[calls->function] += weighed * calls->weight * cost_of(calls);
  struct band band = calls->band;
  band.share = count * calls->weight;
  return add_band(row, band);
}

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* The calls of one kind: each of them to one row. */
static int sort_calls(struct growing rows[ROWS], const struct calls *calls) {
  size_t low = calls->band.low;
  /* a byte onto itself overlaps nothing */
  double overlap = low >= 2 ? calls->overlap : 0, apart = calls->count - overlap;
  if (give(&rows[low < 256 ? OVERLAP_SHORT : OVERLAP_LONG], calls, overlap, overlap) != 0)
    return -1;
  if (low >= 4096) {
    double far = apart * BLOCKS_FROM_L3;
    return give(&rows[BLOCKS_L2], calls, apart - far, apart - far) != 0 ? -1 : give(&rows[BLOCKS_L3], calls, far, far);
  }
  if (low >= 1024)
    return give(&rows[RECORDS], calls, apart, apart);

  double part = calls->count > 0 ? apart / calls->count : 0;
  double again = low > 0 ? least(part * calls->again, apart) : 0;
  again = low > 0 ? most(again, FORWARDED_LEAST * apart) : 0;
  double rest = apart - again;
  double consumed = least(most(CONSUMED_LEAST * apart - again, part * calls->consumed), rest);
  /* most calls with the addresses of the call before have its size, too */
  double same =
      apart > 0 ? least(most(part * calls->same - again, 0), rest) * (rest - consumed) / most(rest, 1e-300) : 0;
  double varied = rest - consumed - same;
  /* what is larger than small comes between the small ones, but is counted in a row of its own */
  double small = low <= 64 ? varied : 0, from_l2 = SMALL_FROM_L2 * small;
  if (give(&rows[FORWARDED], calls, again, again) != 0 || give(&rows[CONSUMED], calls, consumed, consumed) != 0 ||
      give(&rows[PREDICTABLE], calls, same, same) != 0 || give(&rows[SMALL], calls, varied, small - from_l2) != 0 ||
      give(&rows[SMALL_L2], calls, varied, from_l2) != 0)
    return -1;
  return low <= 64 ? 0 : give(&rows[MEDIUM], calls, varied, varied);
}

/* The first sizes of the kinds that sort_calls() knows. */
static const uint64_t bounds[] = {0, 1, 2, 65, 256, 1024, 4096, UINT64_MAX};

static double mean_of(const struct workload_line *line) {
  double calls = (double)line->counts[RECORD_CALLS];
  if (line->counts[RECORD_BYTES] != 0 && calls > 0)
    return (double)line->counts[RECORD_BYTES] / calls;
  return 0.5 * ((double)line->low + (double)line->high);
}

/* The calls of a line whose sizes lie below bounds[kind + 1] and not below bounds[kind]; false when there are none. */
static bool take(struct calls *calls, const struct workload_line *line, unsigned kind) {
  uint64_t low = line->low, high = line->high;
  if (high < bounds[kind] || low >= bounds[kind + 1] || line->counts[RECORD_CALLS] == 0)
    return false;
  low = low > bounds[kind] ? low : bounds[kind];
  high = high < bounds[kind + 1] ? high : bounds[kind + 1] - 1;
  double part = (double)(high - low + 1) / (double)(line->high - line->low + 1);
  bool whole = low == line->low && high == line->high;
  double mean = whole ? mean_of(line) : 0.5 * ((double)low + (double)high);
  /* one size and hardly another, which the line does not name */
  if (whole && line->counts[RECORD_BYTES] != 0 &&
      (double)line->counts[RECORD_SAME] > 0.95 * (double)line->counts[RECORD_CALLS])
    low = high = (uint64_t)llround(mean);
  low = low < SIZE_COUNTED ? low : SIZE_COUNTED;
  high = high < SIZE_COUNTED ? high : SIZE_COUNTED;
  *calls = (struct calls){
      .function = line->function,
      .band = {(size_t)low, (size_t)high, 0},
      .bytes = mean,
      .weight = 1,
      .count = part * (double)line->counts[RECORD_CALLS],
      .same = part * most((double)line->counts[RECORD_SAME], (double)line->counts[RECORD_STEADY]),
      .again = part * (double)line->counts[RECORD_AGAIN],
      .consumed = part * (double)line->counts[RECORD_USED],
      .overlap = part * (double)line->counts[RECORD_OVERLAP],
  };
  return true;
}

static int add_file(struct growing rows[ROWS], const struct workload_file *file) {
  const unsigned kinds = sizeof bounds / sizeof *bounds - 1;
  struct calls calls;
  double cost = 0;
  for (size_t i = 0; i < file->count; i++) {
    for (unsigned kind = 0; kind < kinds; kind++) {
      if (take(&calls, &file->lines[i], kind))
        cost += calls.count * cost_of(&calls);
    }
  }
  for (size_t i = 0; i < file->count; i++) {
    for (unsigned kind = 0; kind < kinds; kind++) {
      if (!take(&calls, &file->lines[i], kind))
        continue;
      calls.weight = 1 / cost;
      if (sort_calls(rows, &calls) != 0)
        return -1;
    }
  }
  return 0;
}

/* Costs become shares, and small ones nothing. A function that is never called is weighed as the other one. */
static void weigh(struct growing rows[ROWS]) {
  double total[RECORD_FUNCTIONS] = {0};
  for (unsigned row = 0; row < ROWS; row++) {
    for (unsigned function = 0; function < RECORD_FUNCTIONS; function++)
      total[function] += rows[row].cost[function];
  }
  for (unsigned function = 0; function < RECORD_FUNCTIONS; function++) {
    for (unsigned row = 0; row < ROWS && !(total[function] > 0); row++)
      rows[row].cost[function] = rows[row].cost[RECORD_FUNCTIONS - 1 - function];
  }
  for (unsigned function = 0; function < RECORD_FUNCTIONS; function++) {
    double sum = total[function] > 0 ? total[function] : total[RECORD_FUNCTIONS - 1 - function], kept = 0;
    for (unsigned row = 0; row < ROWS; row++) {
      rows[row].cost[function] = rows[row].cost[function] < LEAST_WEIGHT * sum ? 0 : rows[row].cost[function];
      kept += rows[row].cost[function];
    }
    for (unsigned row = 0; row < ROWS; row++)
      rows[row].cost[function] /= kept;
  }
}

int workload_make(struct workload *workload, const struct workload_file *files, size_t count) {
  struct growing rows[ROWS] = {0};
  int result = 0;
  for (size_t i = 0; i < count && result == 0; i++)
    result = add_file(rows, &files[i]);
  weigh(rows);
  *workload = (struct workload){calloc(ROWS, sizeof *workload->rows), 0};
  if (workload->rows == NULL)
    result = -1;
  for (unsigned row = 0; row < ROWS; row++) {
    if (result != 0 || !(rows[row].cost[RECORD_MEMCPY] + rows[row].cost[RECORD_MEMMOVE] > 0)) {
      free(rows[row].bands);
      continue;
    }
    struct workload_row *to = &workload->rows[workload->count++];
    *to = templates[row];
    to->scenario.bands = rows[row].bands;
    to->scenario.band_count = rows[row].count;
    to->for_memcpy = rows[row].cost[RECORD_MEMCPY];
    to->for_memmove = rows[row].cost[RECORD_MEMMOVE];
  }
  if (result != 0)
    workload_free(workload);
  return result;
}

void workload_free(struct workload *workload) {
  for (size_t i = 0; i < workload->count; i++)
    free((void *)workload->rows[i].scenario.bands);
  free(workload->rows);
  *workload = (struct workload){0};
}

void workload_unload(struct workload_file *files, size_t count) {
  for (size_t i = 0; i < count; i++)
    workload_file_free(&files[i]);
  free(files);
}

int workload_load(struct workload_file **files, size_t *count, char *const *paths, size_t path_count) {
  *count = path_count != 0 ? path_count : workload_builtin_count;
  *files = calloc(*count, sizeof **files);
  if (*files == NULL) {
    tune_error("not enough memory for the workloads");
    return -1;
  }
  int result = 0;
  for (size_t i = 0; i < *count && result == 0; i++) {
    if (path_count != 0)
      result = workload_file_read(&(*files)[i], paths[i]);
    else
      result = workload_file_parse(&(*files)[i], workload_builtins[i].text, workload_builtins[i].name);
  }
  if (result != 0)
    workload_unload(*files, *count);
  return result;
}
