/* SPDX-License-Identifier: MIT */
/* fastcopy-tune workload: what recorded workloads hold, and how calibrate weighs them. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "tune.h"
#include "workload.h"

static const char help[] =
    "Usage: fastcopy-tune workload [OPTION]... [FILE]...\n"
    "What recorded workloads hold, and the scenarios that calibrate --workload makes of them. Without FILE: those "
    "that\n"
    "are built in and weigh every calibration that is told of no others.\n"
    "\n"
    "  -j, --json  JSON instead of tables\n"
    "  -h, --help  this text\n"
    "\n"
    "Columns: mean, bytes of a copy; the others are shares of the calls. same, of the size of the call before; "
    "steady,\n"
    "of the size of the last call from the same place; again, with the addresses of the call before; used, from or "
    "over\n"
    "what the call before copied; overlap, source and destination overlap. Of the scenarios: shares of the cost.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";

static void print_file(struct libscols_table *table, const char *name, const struct workload_file *file) {
  static const char *const functions[RECORD_FUNCTIONS] = {"memcpy", "memmove"};
  enum { NAME, FUNCTION, CALLS, MEAN, BELOW_16, TO_64, SAME };
  static const unsigned counters[] = {RECORD_SAME, RECORD_STEADY, RECORD_AGAIN, RECORD_USED, RECORD_OVERLAP};
  for (unsigned function = 0; function < RECORD_FUNCTIONS; function++) {
    double sums[RECORD_COUNTERS] = {0}, below_16 = 0, to_64 = 0;
    for (size_t i = 0; i < file->count; i++) {
      const struct workload_line *line = &file->lines[i];
      if (line->function != function)
        continue;
      double calls = (double)line->counts[RECORD_CALLS];
      for (unsigned counter = 0; counter < RECORD_COUNTERS; counter++)
        sums[counter] += (double)line->counts[counter];
      if (line->counts[RECORD_BYTES] == 0)
        sums[RECORD_BYTES] += calls * 0.5 * ((double)line->low + (double)line->high);
      below_16 += line->high < 16 ? calls : 0;
      to_64 += line->high <= 64 ? calls : 0;
    }
    double calls = sums[RECORD_CALLS];
    if (!(calls > 0))
      continue;
    struct libscols_line *line = output_line(table);
    output_text(line, NAME, name);
    output_text(line, FUNCTION, functions[function]);
    output_number(line, CALLS, (uint64_t)calls);
    output_decimal(line, MEAN, sums[RECORD_BYTES] / calls, 0);
    output_decimal(line, BELOW_16, below_16 / calls, 3);
    output_decimal(line, TO_64, to_64 / calls, 3);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
      output_decimal(line, SAME + i, sums[counters[i]] / calls, 3);
  }
}

static void print_files(struct output *output, const struct workload_file *files, size_t count, char **names) {
  static const struct output_column columns[] = {
      {"workload", OUTPUT_TEXT},   {"function", OUTPUT_TEXT}, {"calls", OUTPUT_NUMBER},  {"mean", OUTPUT_NUMBER},
      {"below_16", OUTPUT_NUMBER}, {"to_64", OUTPUT_NUMBER},  {"same", OUTPUT_NUMBER},   {"steady", OUTPUT_NUMBER},
      {"again", OUTPUT_NUMBER},    {"used", OUTPUT_NUMBER},   {"overlap", OUTPUT_NUMBER}};
  struct libscols_table *table = output_table(output, "workloads", columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < count; i++)
    print_file(table, names != NULL ? names[i] : workload_builtins[i].name, &files[i]);
  output_rows(output, table);
}

static void print_rows(struct output *output, const struct workload *workload) {
  enum { SCENARIO, MEMCPY, MEMMOVE, MEAN, COLUMNS };
  static const struct output_column columns[COLUMNS] = {[SCENARIO] = {"scenario", OUTPUT_TEXT},
                                                        [MEMCPY] = {"memcpy", OUTPUT_NUMBER},
                                                        [MEMMOVE] = {"memmove", OUTPUT_NUMBER},
                                                        [MEAN] = {"mean", OUTPUT_NUMBER}};
  struct libscols_table *table = output_table(output, "scenarios", columns, COLUMNS);
  for (size_t i = 0; i < workload->count; i++) {
    const struct workload_row *row = &workload->rows[i];
    double share = 0, bytes = 0;
    for (size_t j = 0; j < row->scenario.band_count; j++) {
      const struct band *band = &row->scenario.bands[j];
      share += band->share;
      bytes += band->share * 0.5 * ((double)band->low + (double)band->high);
    }
    struct libscols_line *line = output_line(table);
    output_text(line, SCENARIO, row->scenario.name);
    output_decimal(line, MEMCPY, row->for_memcpy, 3);
    output_decimal(line, MEMMOVE, row->for_memmove, 3);
    output_decimal(line, MEAN, bytes / share, 0);
  }
  output_rows(output, table);
}

int tune_workload(int argc, char **argv) {
  bool json = false;
  int code;
  if (tune_options(argc, argv, help, &json, &code) != 0)
    return code;
  struct workload_file *files;
  struct workload workload;
  size_t count;
  char **names = optind < argc ? argv + optind : NULL;
  if (workload_load(&files, &count, names, names != NULL ? (size_t)(argc - optind) : 0) != 0)
    return TUNE_FAILED;
  int result = workload_make(&workload, files, count);
  if (result == 0) {
    struct output output;
    output_begin(&output, json);
    print_files(&output, files, count, names);
    print_rows(&output, &workload);
    output_end(&output);
    workload_free(&workload);
  } else {
    tune_error("not enough memory for the workloads");
  }
  workload_unload(files, count);
  return result == 0 ? TUNE_DONE : TUNE_FAILED;
}
