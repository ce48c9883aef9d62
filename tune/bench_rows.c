/* SPDX-License-Identifier: MIT */
/* What bench measures: rows, and the suites that choose among them. A new suite is a function and a row of bench_suites. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define DISTRIBUTION_BUFFER ((size_t)16384)
#define MANY 131072 /* operations that no branch predictor learns */
#define LEARNT 4096 /* those that it learns */
#define FEW 64      /* the same size over and over */
#define TIGHT 2048  /* of one size in PLACE_TIGHT: 64 distances */
#define LINE 64     /* any offset within it */
#define PAGE ((size_t)4096)
#define SIZE_MOST ((size_t)1 << 29)

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *const bench_symbol_names[BENCH_SYMBOLS] = {"memcpy", "memmove", "mempcpy"};

static struct bench_row *add_row(struct bench_rows *rows, const char *group, const char *kind, const char *size,
                                 const char *where, enum bench_symbol symbol) {
  struct bench_row *grown = realloc(rows->rows, (rows->count + 1) * sizeof *grown);
  if (grown == NULL) {
    tune_error("not enough memory");
    exit(TUNE_FAILED);
  }
  rows->rows = grown;
  struct bench_row *row = &grown[rows->count++];
  *row = (struct bench_row){.group = group, .where = where, .symbol = symbol, .threads = 1, .seconds = 0.2};
  snprintf(row->kind, sizeof row->kind, "%s", kind);
  snprintf(row->size, sizeof row->size, "%s", size);
  return row;
}

/* What the adders below share. */
struct adder {
  struct bench_rows *rows;
  const char *group, *where;
  enum bench_symbol symbol;
  double seconds;
};

/* Sizes low..high in a working set of which each buffer has half. */
static struct bench_row *add_sizes(const struct adder *to, const char *kind, size_t low, size_t high,
                                   size_t working_set, size_t operations, enum next next, enum place place) {
  char text[32], size[40];
  output_size(text, high);
  snprintf(size, sizeof size, "%s%s", low == high ? "" : "..", text);
  struct bench_row *row = add_row(to->rows, to->group, kind, size, to->where, to->symbol);
  row->band = (struct band){low, high, 1};
  row->seconds = to->seconds;
  row->scenario = (struct scenario){
      .operations = operations, .working_set = working_set, .next = next, .place = place, .band_count = 1};
  return row;
}

/* Room for a size at any offset within a page, so that no distance between the buffers is favoured. */
static size_t around(size_t size) { return 2 * (size + PAGE); }

/* A working set in the caches is covered, a large one sampled. */
static size_t operations_for(size_t size, size_t working_set) {
  size_t operations = 4 * working_set / (size + 1);
  return operations < FEW ? FEW : operations > MANY ? MANY : operations;
}

static struct bench_row *add_fixed(const struct adder *to, size_t size, size_t working_set, enum next next) {
  size_t least = around(size);
  working_set = working_set < least ? least : working_set;
  const char *kind = next == NEXT_READ ? "read" : next == NEXT_FORWARD ? "forward" : "fixed";
  return add_sizes(to, kind, size, size, working_set, operations_for(size, working_set), next, PLACE_APART);
}

/* Hot: buffers as small as they can be. */
static void add_tight(const struct adder *to, size_t size) {
  add_sizes(to, "fixed", size, size, 2 * (size + LINE), TIGHT, NEXT_NOTHING, PLACE_TIGHT);
}

static int of_memmove(enum bench_symbol symbol) { return symbol == BENCH_MEMMOVE; }

static enum place apart(enum bench_symbol symbol) { return of_memmove(symbol) ? PLACE_SHARED : PLACE_APART; }

/* Distributions --------------------------------------------------------------------------------------------------- */

static void add_distribution(const struct adder *to, const char *name, const struct band *bands, size_t count,
                             size_t operations, enum next next) {
  struct bench_row *row = add_row(to->rows, to->group, name, "", to->where, to->symbol);
  /* what is consumed at once must not overlap: the next call's source is written between */
  enum place place = next == NEXT_NOTHING ? apart(to->symbol) : PLACE_APART;
  row->seconds = to->seconds;
  row->scenario = (struct scenario){
      .bands = bands,
      .band_count = count,
      .operations = operations,
      .working_set = place == PLACE_SHARED ? DISTRIBUTION_BUFFER : 2 * DISTRIBUTION_BUFFER,
      .next = next,
      .place = place,
  };
}

void bench_distribution_row(struct bench_rows *rows, const struct bench_distribution *distribution, size_t operations,
                            enum bench_symbol symbol) {
  const struct adder to = {rows, "", "L1", symbol, 0.5};
  add_distribution(&to, distribution->name, distribution->sizes.bands, distribution->sizes.count, operations,
                   NEXT_NOTHING);
}

/*
 * Recorded from sqlite3, python3, cc1, git, perl and node. Fixed here, whatever calibration weighs by, so that figures of
 * different versions can be compared.
 */
static struct band recorded[] = {{0, 0, 0.01},   {1, 15, 0.61},    {16, 31, 0.18},
                                 {32, 64, 0.13}, {65, 256, 0.055}, {257, 1024, 0.015}};

/* Those that the user brought along, else the recorded one. */
static void add_distributions(const struct adder *to, const struct bench_machine *machine, size_t operations,
                              enum next next) {
  const struct bench_distribution usual = {"recorded", {recorded, COUNT(recorded)}, BENCH_BIT(to->symbol)};
  const size_t count = machine->distribution_count;
  size_t added = 0;
  for (size_t i = 0; i < (count == 0 ? 1 : count); i++) {
    const struct bench_distribution *distribution = count == 0 ? &usual : &machine->distributions[i];
    if ((distribution->symbols & BENCH_BIT(to->symbol)) == 0)
      continue;
    char kind[64];
    snprintf(kind, sizeof kind, "%.40s%s", distribution->name,
             next == NEXT_CONSUMED  ? ", consumed"
             : operations <= LEARNT ? ", predictable"
                                    : "");
    add_distribution(to, kind, distribution->sizes.bands, distribution->sizes.count, operations, next);
    added++;
  }
  if (added == 0)
    tune_error("left out: %s, %s: no --distribution is for %s", to->group, bench_symbol_names[to->symbol],
               bench_symbol_names[to->symbol]);
}

static void distribution_rows(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol,
                              double seconds) {
  const struct adder varied = {rows, "distributions, not predictable", "L1", symbol, seconds},
                     learnt = {rows, "distributions, predictable", "L1", symbol, seconds},
                     consumed = {rows, "distributions, consumed", "L1", symbol, seconds};
  add_distributions(&varied, machine, MANY, NEXT_NOTHING);
  add_distributions(&learnt, machine, LEARNT, NEXT_NOTHING);
  add_distributions(&consumed, machine, MANY, NEXT_CONSUMED);
}

/* One size ----------------------------------------------------------------------------------------------------------- */

static void chain_rows(struct bench_rows *rows, enum bench_symbol symbol) {
  static const size_t sizes[] = {4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 40, 48, 63, 64};
  const struct adder to = {rows, "chains of one size, 4..64", "L1", symbol, 0.15};
  for (size_t i = 0; i < COUNT(sizes); i++)
    add_fixed(&to, sizes[i], 0, NEXT_FORWARD);
}

static void hot_rows(struct bench_rows *rows, enum bench_symbol symbol) {
  static const size_t sizes[] = {256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384};
  const struct adder to = {rows, "256..16K in L1", "L1", symbol, 0.2};
  for (size_t i = 0; i < COUNT(sizes); i++)
    add_tight(&to, sizes[i]);
}

static void cache_rows(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  const struct level {
    const char *where;
    size_t bytes;
  } levels[] = {{"L2", machine->l2}, {"L3", machine->l3}};
  for (size_t level = 0; level < COUNT(levels); level++) {
    const struct adder to = {rows, "4K..256K in L2, L3", levels[level].where, symbol, 0.3};
    for (size_t size = 4096; size <= 262144; size *= 2) {
      /* both buffers, and some of the level for all else */
      if (around(size) <= levels[level].bytes / 4 * 3)
        add_fixed(&to, size, levels[level].bytes / 2, NEXT_NOTHING);
    }
  }
}

static size_t memory_bytes(const struct bench_machine *machine) {
  size_t memory = 8 * machine->l3;
  return memory < 64 << 20 ? 64 << 20 : memory > 256 << 20 ? 256 << 20 : memory;
}

static void memory_rows(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  static const enum next next[] = {NEXT_NOTHING, NEXT_READ};
  for (size_t i = 0; i < COUNT(next); i++) {
    const char *group = next[i] == NEXT_READ ? "8M..64M, read afterwards" : "8M..64M";
    const struct adder to = {rows, group, "memory", symbol, 1.5};
    for (size_t size = 8 << 20; size <= 64 << 20; size *= 2)
      add_fixed(&to, size, memory_bytes(machine), next[i]);
  }
}

/* (dst - src) mod 4096 small, either way, and no multiple of 64: loads look like earlier stores to the CPU. */
static void skewed_rows(const struct adder *to, const size_t sizes[], size_t count) {
  static const struct {
    unsigned low, high;
    const char *name;
  } skews[] = {{1, 64, "page offset 1..63"}, {65, 256, "page offset 65..255"}, {3841, 4096, "page offset 3841..4095"}};
  for (size_t i = 0; i < count; i++) {
    for (size_t skew = 0; skew < COUNT(skews); skew++) {
      struct bench_row *row = add_sizes(to, skews[skew].name, sizes[i], sizes[i], around(sizes[i]),
                                        operations_for(sizes[i], around(sizes[i])), NEXT_NOTHING, PLACE_SKEWED);
      row->scenario.skew_low = skews[skew].low;
      row->scenario.skew_high = skews[skew].high;
    }
  }
}

/* Overlap ------------------------------------------------------------------------------------------------------------ */

static const size_t overlap_sizes[] = {500, 1024, 2048, 4096, 8192, 16384};
static const unsigned overlap_distances[] = {1, 8, 32, 63, 64, 100, 200, 400};

static void add_overlap(const struct adder *to, size_t size, unsigned distance, bool bytes) {
  for (int below = 0; below < 2; below++) {
    char kind[64];
    snprintf(kind, sizeof kind, "overlap, %u %s", distance, below ? "down" : "up");
    struct bench_row *row =
        add_sizes(to, kind, size, size, size + distance + LINE, TIGHT, NEXT_NOTHING, below ? PLACE_BELOW : PLACE_ABOVE);
    row->scenario.skew_low = distance;
    row->scenario.skew_high = distance + 1;
    row->bytes = bytes;
  }
}

static void overlap_rows(struct bench_rows *rows, enum bench_symbol symbol) {
  const struct adder to = {rows, "500..16K, overlapping", "L1", symbol, 0.1};
  for (size_t i = 0; i < COUNT(overlap_sizes); i++) {
    for (size_t j = 0; j < COUNT(overlap_distances); j++)
      add_overlap(&to, overlap_sizes[i], overlap_distances[j], false);
  }
  const struct adder bytes = {rows, "500, overlapping, to a byte loop", "L1", symbol, 0.1};
  for (size_t j = 0; j < COUNT(overlap_distances); j++)
    add_overlap(&bytes, 500, overlap_distances[j], true);
}

/* Threads ------------------------------------------------------------------------------------------------------------ */

static void thread_rows(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  const struct {
    const char *where;
    size_t size, working_set;
    double seconds;
  } cases[] = {{"L1", 4096, 0, 0.5},
               {"L2", 4096, machine->l2 / 2, 0.5},
               {"memory", 1 << 20, memory_bytes(machine), 1},
               {"memory", 16 << 20, memory_bytes(machine), 2}};
  if (bench_cpus() < 2) {
    tune_error("left out: two threads at once: there is one CPU for this process");
    return;
  }
  for (size_t i = 0; i < COUNT(cases); i++) {
    const struct adder to = {rows, "two threads at once", cases[i].where, symbol, cases[i].seconds};
    struct bench_row *row = add_fixed(&to, cases[i].size, cases[i].working_set, NEXT_NOTHING);
    snprintf(row->kind, sizeof row->kind, "two threads");
    row->threads = 2;
  }
}

/* Suites ------------------------------------------------------------------------------------------------------------- */

/* Something of everything. */
static void default_suite(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  static const size_t l1[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192, 12288};
  static const size_t varied[] = {16, 64, 256, 1024, 4096};
  static const size_t chain[] = {4, 8, 16, 24, 32, 48, 64, 128, 256};
  static const size_t moved[] = {500, 2048, 16384}, skewed[] = {1024, 8192};
  static const unsigned distances[] = {1, 64, 400};
  const size_t small = 2 * DISTRIBUTION_BUFFER;
  const struct adder hot = {rows, "", "L1", symbol, 0.2};
  for (size_t i = 0; i < COUNT(l1); i++)
    add_fixed(&hot, l1[i], 0, NEXT_NOTHING);
  for (size_t i = 0; i < COUNT(varied); i++)
    add_sizes(&hot, "varied", 0, varied[i], small, MANY, NEXT_NOTHING, apart(symbol));
  distribution_rows(rows, machine, symbol, 0.2);
  for (size_t i = 0; i < COUNT(chain); i++)
    add_fixed(&hot, chain[i], 0, NEXT_FORWARD);
  for (size_t i = 1; i < 3; i++)
    add_sizes(&hot, "consumed", 0, varied[i], small, MANY, NEXT_CONSUMED, PLACE_APART);
  if (of_memmove(symbol)) {
    for (size_t i = 1; i < COUNT(varied); i++)
      add_sizes(&hot, "overlap", 0, varied[i], small, MANY, NEXT_NOTHING, PLACE_NEAR);
    for (size_t i = 0; i < COUNT(moved); i++) {
      for (size_t j = 0; j < COUNT(distances); j++)
        add_overlap(&hot, moved[i], distances[j], false);
    }
  }
  skewed_rows(&hot, skewed, COUNT(skewed));

  const struct adder l2 = {rows, "", "L2", symbol, 0.2}, l3 = {rows, "", "L3", symbol, 0.2},
                     memory = {rows, "", "memory", symbol, 0.2};
  const size_t bytes = memory_bytes(machine);
  add_fixed(&l2, 4096, machine->l2 / 2, NEXT_NOTHING);
  add_fixed(&l2, 16384, machine->l2 / 2, NEXT_NOTHING);
  add_fixed(&l2, 65536, machine->l2 / 2, NEXT_NOTHING);
  add_fixed(&l3, 4096, machine->l3 / 2, NEXT_NOTHING);
  add_fixed(&l3, 65536, machine->l3 / 2, NEXT_NOTHING);
  add_fixed(&l3, 262144, machine->l3 / 2, NEXT_NOTHING);
  add_fixed(&memory, 64, bytes, NEXT_NOTHING);
  add_fixed(&memory, 4096, bytes, NEXT_NOTHING);
  add_fixed(&memory, 65536, bytes, NEXT_NOTHING);
  add_fixed(&memory, 1 << 20, bytes, NEXT_NOTHING);
  add_fixed(&memory, 16 << 20, bytes, NEXT_NOTHING);
  add_fixed(&memory, 1 << 20, bytes, NEXT_READ);
  add_fixed(&memory, 16 << 20, bytes, NEXT_READ);
  thread_rows(rows, machine, symbol);
}

/* What the library is to be judged by. */
static void goals_suite(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  distribution_rows(rows, machine, symbol, 0.5);
  chain_rows(rows, symbol);
  hot_rows(rows, symbol);
  cache_rows(rows, machine, symbol);
  memory_rows(rows, machine, symbol);
  if (of_memmove(symbol))
    overlap_rows(rows, symbol);
}

static void small_suite(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  static const size_t sizes[] = {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128, 192, 256};
  distribution_rows(rows, machine, symbol, 0.5);
  const struct adder fixed = {rows, "one size, 0..256", "L1", symbol, 0.15};
  for (size_t i = 0; i < COUNT(sizes); i++)
    add_fixed(&fixed, sizes[i], 0, NEXT_NOTHING);
  const struct adder varied = {rows, "even chances, 0..256", "L1", symbol, 0.3};
  for (size_t size = 8; size <= 256; size *= 2)
    add_sizes(&varied, "varied", 0, size, 2 * DISTRIBUTION_BUFFER, MANY, NEXT_NOTHING, apart(symbol));
  chain_rows(rows, symbol);
}

static void large_suite(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  static const size_t skewed[] = {1024, 4096, 16384, 65536};
  static const size_t scattered[] = {64, 4096, 65536, 1 << 20};
  hot_rows(rows, symbol);
  skewed_rows(&(struct adder){rows, "1K..64K, close page offsets", "L1, L2", symbol, 0.2}, skewed, COUNT(skewed));
  cache_rows(rows, machine, symbol);
  const struct adder cold = {rows, "64..1M, cold", "memory", symbol, 0.5};
  for (size_t i = 0; i < COUNT(scattered); i++)
    add_fixed(&cold, scattered[i], memory_bytes(machine), NEXT_NOTHING);
  memory_rows(rows, machine, symbol);
}

static void overlap_suite(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol) {
  (void)machine;
  overlap_rows(rows, symbol);
  const struct adder varied = {rows, "to 4K, any overlap", "L1", symbol, 0.3};
  for (size_t size = 64; size <= 4096; size *= 4)
    add_sizes(&varied, "overlap", 0, size, 2 * DISTRIBUTION_BUFFER, MANY, NEXT_NOTHING, PLACE_NEAR);
}

#define EVERY (BENCH_BIT(BENCH_MEMCPY) | BENCH_BIT(BENCH_MEMMOVE) | BENCH_BIT(BENCH_MEMPCPY))
#define BOTH (BENCH_BIT(BENCH_MEMCPY) | BENCH_BIT(BENCH_MEMMOVE))

const struct bench_suite bench_suites[] = {
    {"default", "something of everything", default_suite, EVERY, BENCH_BIT(BENCH_MEMCPY), false},
    {"goals", "what the library is judged by", goals_suite, BOTH, BOTH, true},
    {"small", "up to 256 bytes", small_suite, EVERY, BENCH_BIT(BENCH_MEMCPY), false},
    {"large", "from 256 bytes", large_suite, EVERY, BENCH_BIT(BENCH_MEMCPY), false},
    {"overlap", "regions that overlap", overlap_suite, BENCH_BIT(BENCH_MEMMOVE), BENCH_BIT(BENCH_MEMMOVE), false},
    {"threads", "two threads at once", thread_rows, EVERY, BENCH_BIT(BENCH_MEMCPY), false},
    {"chunks", "256K to another 256K in chunks of 16..64K, in MB/s", NULL, EVERY, BENCH_BIT(BENCH_MEMCPY), false},
};
const size_t bench_suite_count = COUNT(bench_suites);

/* A list of sizes; each in as little memory as it needs. */
int bench_listed_rows(struct bench_rows *rows, const char *list, enum bench_symbol symbol) {
  const struct adder to = {rows, "", "repeated", symbol, 0.2};
  char *copy = strdup(list), *rest = copy;
  int result = copy == NULL ? -1 : 0;
  while (result == 0 && rest != NULL) {
    const char *word = strsep(&rest, ",");
    size_t size;
    if (!tune_parse_size(word, &size)) {
      tune_error("--sizes: '%s' is not a size; write 64, 4K or 1M", word);
      result = -1;
    } else if (size > SIZE_MOST) {
      tune_error("--sizes: %s is more than the 512M that bench measures", word);
      result = -1;
    } else {
      add_fixed(&to, size, 0, NEXT_NOTHING);
      add_sizes(&to, "varied", 0, size, around(size), size <= 4096 ? MANY : 1024, NEXT_NOTHING, apart(symbol));
      if (size >= 8 && size <= 4096)
        add_fixed(&to, size, 0, NEXT_FORWARD);
      if (size > 4096)
        add_fixed(&to, size, 0, NEXT_READ);
    }
  }
  free(copy);
  return result;
}
