/* SPDX-License-Identifier: MIT */
/* The tables of bench. */
#include <gnu/libc-version.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "lib/fastcopy.h"

unsigned bench_last(const struct bench *bench, unsigned which) { return bench->subject_count - which; }

/* Has it a ratio? */
static bool compared(const struct bench *bench, unsigned subject) {
  return subject != BENCH_SYSTEM && subject < bench_last(bench, BENCH_LAST);
}

void bench_print_head(struct output *output, const struct identity *identity) {
  enum { CPU, LIBC, MEMCPY, MEMMOVE, SOURCE, REASON, HEAD };
  struct fastcopy_plan plan = {.size = sizeof plan};
  fastcopy_describe(&plan);
  struct output_column columns[HEAD + FC_PARAM_COUNT] = {
      [CPU] = {"cpu", OUTPUT_TEXT},         [LIBC] = {"glibc", OUTPUT_TEXT},    [MEMCPY] = {"memcpy", OUTPUT_TEXT},
      [MEMMOVE] = {"memmove", OUTPUT_TEXT}, [SOURCE] = {"source", OUTPUT_TEXT}, [REASON] = {"reason", OUTPUT_TEXT}};
  for (size_t i = 0; i < FC_PARAM_COUNT; i++)
    columns[HEAD + i] = (struct output_column){plan.parameters[i].name, OUTPUT_NUMBER};
  struct libscols_table *table = output_table(output, "plan", columns, HEAD + FC_PARAM_COUNT);
  struct libscols_line *line = output_line(table);
  output_text(line, CPU, identity->name);
  output_text(line, LIBC, gnu_get_libc_version());
  output_text(line, MEMCPY, plan.memcpy_variant);
  output_text(line, MEMMOVE, plan.memmove_variant);
  output_text(line, SOURCE, plan.source);
  output_text(line, REASON, plan.reason);
  for (size_t i = 0; i < FC_PARAM_COUNT; i++)
    output_bytes(output, line, HEAD + i, plan.parameters[i].value);
  output_fields(output, table);
}

/* Groups and symbols stand in columns of their own where there is more than one. */
unsigned bench_lead(const struct bench *bench) { return bench->suite != NULL && bench->suite != bench_suites ? 2 : 0; }

/* Columns: name, size, where, then the ns of each subject, and its ratio where it has one. */
struct libscols_table *bench_open_table(const struct output *output, const struct bench *bench) {
  struct output_column columns[5 + 2 * BENCH_SUBJECTS] = {{"group", OUTPUT_TEXT},
                                                          {"symbol", OUTPUT_TEXT},
                                                          {"kind", OUTPUT_TEXT},
                                                          {"size", OUTPUT_TEXT},
                                                          {"where", OUTPUT_TEXT}};
  char names[2 * BENCH_SUBJECTS][80];
  size_t count = 5, used = 0;
  for (unsigned i = 0; i < bench->subject_count; i++) {
    for (int ratio = 0; bench->shown[i] && ratio < (compared(bench, i) ? 2 : 1); ratio++) {
      snprintf(names[used], sizeof names[0], "%s_%s", bench->subjects[i].name, ratio ? "ratio" : "ns");
      columns[count++] = (struct output_column){names[used++], OUTPUT_NUMBER};
    }
  }
  const char *name = "rows";
  for (unsigned i = 0; bench_lead(bench) == 0 && i < BENCH_SYMBOLS; i++) {
    if ((bench->symbols & BENCH_BIT(i)) != 0)
      name = bench_symbol_names[i];
  }
  return output_table(output, name, columns + 2 - bench_lead(bench), count - 2 + bench_lead(bench));
}

void bench_print_row(struct libscols_table *table, const struct bench *bench, const struct bench_row *row,
                     const struct bench_result *result) {
  struct libscols_line *line = output_line(table);
  size_t column = 0;
  if (bench_lead(bench) != 0) {
    output_text(line, column++, row->group);
    output_text(line, column++, bench_symbol_names[row->symbol]);
  }
  output_text(line, column++, row->kind);
  output_text(line, column++, row->size);
  output_text(line, column++, row->where);
  for (unsigned i = 0; i < bench->subject_count; i++) {
    if (!bench->shown[i])
      continue;
    if (result->ns[i] > 0)
      output_decimal(line, column, result->ns[i], result->ns[i] < 100 ? 2 : 0);
    column++;
    if (compared(bench, i)) {
      if (result->ratio[i] > 0)
        output_decimal(line, column, result->ratio[i], 3);
      column++;
    }
  }
}

void bench_print_mean(struct libscols_table *table, const struct bench *bench, const struct bench_rows *rows,
                      const struct bench_result results[]) {
  struct bench_row row = {.kind = "geometric mean", .where = ""};
  struct bench_result mean = {{0}, {0}};
  for (unsigned s = 0; s < bench->subject_count; s++) {
    double logs = 0;
    for (size_t i = 0; i < rows->count; i++)
      logs += log(results[i].ratio[s]);
    mean.ratio[s] = exp(logs / (double)rows->count);
  }
  bench_print_row(table, bench, &row, &mean);
}

void bench_print_summary(struct output *output, const struct bench *bench, const struct bench_rows *rows,
                         const struct bench_result results[]) {
  enum { GROUP, SYMBOL, AGAINST, COUNT, MEAN, LEAST, AT, OF_CEILING, COLUMNS };
  static const struct output_column columns[COLUMNS] = {
      [GROUP] = {"group", OUTPUT_TEXT},     [SYMBOL] = {"symbol", OUTPUT_TEXT},
      [AGAINST] = {"against", OUTPUT_TEXT}, [COUNT] = {"count", OUTPUT_NUMBER},
      [MEAN] = {"geomean", OUTPUT_NUMBER},  [LEAST] = {"least", OUTPUT_NUMBER},
      [AT] = {"at", OUTPUT_TEXT},           [OF_CEILING] = {"ceiling", OUTPUT_NUMBER}};
  struct libscols_table *table = output_table(output, "summary", columns, COLUMNS);
  /* the rows of a group and symbol follow each other, but for the levels of a cache */
  for (size_t first = 0; first < rows->count; first++) {
    const struct bench_row *row = &rows->rows[first];
    double logs = 0, ceiling = 0;
    size_t count = 0, least = first;
    bool seen = false;
    for (size_t i = 0; i < rows->count; i++) {
      if (strcmp(rows->rows[i].group, row->group) != 0 || rows->rows[i].symbol != row->symbol)
        continue;
      seen |= i < first;
      count++;
      logs += log(results[i].ratio[BENCH_FASTCOPY]);
      ceiling += log(results[i].ratio[bench_last(bench, BENCH_CEILING)]);
      least = results[i].ratio[BENCH_FASTCOPY] < results[least].ratio[BENCH_FASTCOPY] ? i : least;
    }
    if (seen)
      continue;
    const struct bench_row *worst = &rows->rows[least];
    char at[160];
    snprintf(at, sizeof at, "%s%s%s, %s", worst->kind, worst->size[0] != '\0' ? " " : "", worst->size, worst->where);
    struct libscols_line *line = output_line(table);
    output_text(line, GROUP, row->group);
    output_text(line, SYMBOL, bench_symbol_names[row->symbol]);
    output_text(line, AGAINST,
                row->bytes ? bench->subjects[bench_last(bench, BENCH_BYTES)].name : bench->subjects[BENCH_SYSTEM].name);
    output_number(line, COUNT, count);
    output_decimal(line, MEAN, exp(logs / (double)count), 3);
    output_decimal(line, LEAST, results[least].ratio[BENCH_FASTCOPY], 3);
    output_text(line, AT, at);
    /* the logarithm of a row without a ceiling is no number */
    if (isfinite(ceiling))
      output_decimal(line, OF_CEILING, exp(ceiling / (double)count), 3);
  }
  output_rows(output, table);
}
