/* SPDX-License-Identifier: MIT */
#include "chunks.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "marks.h"

static const size_t sizes[] = CHUNKS_SIZES;
enum { ROWS = sizeof sizes / sizeof sizes[0] };

#define PAGE ((size_t)65536) /* at least, on any CPU */
#define SECONDS 0.2          /* a row */
#define ROUNDS_LEAST 5
#define ROUNDS_MOST 100000

/* The first area to the second, chunk after chunk. -1 when memory is short. */
static int walk_through(struct work *work, size_t size, const struct arena *arena) {
  size_t count = CHUNKS_AREA / size;
  /* whole walks are timed, each after one that brought the caches to where a walk leaves them */
  *work = (struct work){.count = count, .block = count, .warm = count};
  work->src = arena->memory;
  work->dst = arena->memory + CHUNKS_AREA + PAGE;
  work->operations = calloc(count, sizeof *work->operations);
  if (work->operations == NULL)
    return -1;
  for (size_t i = 0; i < count; i++)
    work->operations[i] = (struct operation){(uint32_t)(i * size), (uint32_t)(i * size), (uint32_t)size};
  return 0;
}

/* Two walks, of which the second is counted by a plugin, where there is one. Each call alone: no loop around it counts. */
static void count_walk(const struct work *work, copy_function *copy) {
  copy_function *volatile hidden = copy;
  for (int walk = 0; walk < 2; walk++) {
    MARK(MARK_START);
    for (size_t i = 0; i < work->count; i++) {
      const struct operation *op = &work->operations[i];
      copy_function *function = hidden;
      unsigned char *dst = work->dst + op->dst;
      const unsigned char *src = work->src + op->src;
      size_t n = op->n;
      MARK(MARK_ON);
      function(dst, src, n);
      MARK(MARK_OFF);
    }
  }
  MARK(MARK_REPORT);
}

static int measure_row(struct libscols_table *table, size_t size, const struct arena *arena,
                       const struct subject *subjects, unsigned count, double seconds, struct random *random) {
  struct work work;
  struct samples samples = {0};
  if (walk_through(&work, size, arena) != 0)
    return -1;
  for (unsigned i = 0; HAVE_MARKS && i < count; i++)
    count_walk(&work, subjects[i].function);
  uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
  int result = measure_until(&samples, &work, subjects, count, end, ROUNDS_LEAST, ROUNDS_MOST, random);
  if (result == 0) {
    struct libscols_line *line = output_line(table);
    size_t column = 0;
    double reference = samples_figure(&samples, BENCH_SYSTEM);
    output_number(line, column++, size);
    for (unsigned i = 0; i < count; i++) {
      double ns = samples_figure(&samples, i);
      output_decimal(line, column++, 1e3 * (double)size / ns, 0);
      if (i != BENCH_SYSTEM)
        output_decimal(line, column++, reference / ns, 3);
    }
  }
  samples_free(&samples);
  work_free(&work);
  return result;
}

/* The C library's function, the library's, and those of --against: all but the last ones. */
static unsigned subjects_of(const struct bench *bench, struct subject subjects[]) {
  unsigned symbol = 0, count = bench_last(bench, BENCH_LAST);
  while ((bench->symbols & BENCH_BIT(symbol)) == 0)
    symbol++;
  for (unsigned i = 0; i < count; i++)
    subjects[i] = (struct subject){.name = bench->subjects[i].name, .function = bench->subjects[i].functions[symbol]};
  return count;
}

int bench_chunks(const struct bench *bench, const struct identity *identity) {
  struct subject subjects[BENCH_SUBJECTS];
  const unsigned count = subjects_of(bench, subjects);
  char names[2 * BENCH_SUBJECTS][80];
  struct output_column columns[2 * BENCH_SUBJECTS];
  size_t column = 0;
  columns[column++] = (struct output_column){"chunk", OUTPUT_NUMBER};
  for (unsigned i = 0; i < count; i++) {
    for (int ratio = 0; ratio < (i == BENCH_SYSTEM ? 1 : 2); ratio++, column++) {
      snprintf(names[column], sizeof names[0], "%s_%s", subjects[i].name, ratio ? "ratio" : "mb_s");
      columns[column] = (struct output_column){names[column], OUTPUT_NUMBER};
    }
  }
  struct arena arena;
  if (arena_open(&arena, 2 * (CHUNKS_AREA + PAGE)) != 0)
    return TUNE_FAILED;
  struct output output;
  output_begin(&output, bench->json);
  bench_print_head(&output, identity);
  struct libscols_table *table = output_table(&output, "chunks", columns, column);
  struct random random = {1};
  const double seconds = bench->seconds > 0 ? bench->seconds / ROWS : SECONDS;
  int result = 0;
  for (size_t i = 0; i < ROWS && result == 0; i++)
    result = measure_row(table, sizes[i], &arena, subjects, count, seconds, &random);
  if (result != 0)
    tune_error("not enough memory");
  output_rows(&output, table);
  output_end(&output);
  arena_close(&arena);
  return result == 0 ? TUNE_DONE : TUNE_FAILED;
}
