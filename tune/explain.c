/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>

#include "arch/explain.h"
#include "lib/fastcopy.h"
#include "output.h"

static const char help[] =
    "Usage: fastcopy-tune explain [OPTION]...\n"
    "Tell how memcpy and memmove copy here, range of sizes by range, and what decides it.\n"
    "\n"
    "  -s, --size=N  only the range that N bytes fall into; K, M and G are powers of 1024\n"
    "  -j, --json    JSON instead of text\n"
    "  -h, --help    this text\n"
    "\n"
    "Environment: FASTCOPY_TABLE, FASTCOPY_VARIANT and FASTCOPY_DISABLE work as in any program.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";

static const struct option options[] = {{"size", required_argument, NULL, 's'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

enum { FUNCTION, VARIANT, FROM, BELOW, WHAT, WHY, COLUMNS };
static const struct output_column columns[COLUMNS] = {
    [FUNCTION] = {"function", OUTPUT_TEXT}, [VARIANT] = {"variant", OUTPUT_TEXT}, [FROM] = {"from", OUTPUT_NUMBER},
    [BELOW] = {"below", OUTPUT_NUMBER},     [WHAT] = {"copied_by", OUTPUT_WRAP},  [WHY] = {"because", OUTPUT_WRAP}};

/* size: NULL for all ranges. */
static void explain(const struct output *output, struct libscols_table *table, const char *function, int for_memmove,
                    const size_t *size) {
  const struct fc_plan *plan = &fc_report.plan;
  struct fc_range ranges[FC_RANGES_MAX];
  size_t count = fc_explain(plan, for_memmove, ranges, FC_RANGES_MAX);
  for (size_t i = 0; i < count; i++) {
    /* SIZE_MAX bytes fall into the last range, which has no end */
    if (size != NULL && (*size < ranges[i].from || (*size >= ranges[i].below && i + 1 < count)))
      continue;
    struct libscols_line *line = output_line(table);
    output_text(line, FUNCTION, function);
    output_text(line, VARIANT, fc_variants[for_memmove ? plan->memmove_variant : plan->memcpy_variant].name);
    output_bytes(output, line, FROM, ranges[i].from);
    if (ranges[i].below != SIZE_MAX)
      output_bytes(output, line, BELOW, ranges[i].below);
    output_text(line, WHAT, ranges[i].what);
    output_text(line, WHY, ranges[i].why);
  }
}

int tune_explain(int argc, char **argv) {
  bool json = false;
  size_t number;
  const size_t *size = NULL;
  for (int option; (option = getopt_long(argc, argv, "s:jh", options, NULL)) != -1;) {
    switch (option) {
    case 's':
      if (!tune_parse_size(optarg, &number))
        return tune_usage("'%s' is no size: a number of bytes, with K, M or G after it for powers of 1024", optarg);
      size = &number;
      break;
    case 'j':
      json = true;
      break;
    case 'h':
      fputs(help, stdout);
      return TUNE_DONE;
    default:
      return tune_usage(NULL);
    }
  }
  if (optind < argc)
    return tune_usage("explain takes no argument, and '%s' is one", argv[optind]);

  struct output output;
  output_begin(&output, json);
  struct fastcopy_plan described = {.size = sizeof described};
  fastcopy_describe(&described);
  output_plan(&output, &described);

  const struct fc_plan *plan = &fc_report.plan;
  struct libscols_table *table = output_table(&output, "ranges", columns, COLUMNS);
  /* people read one list where both functions do the same; in JSON each function has its own */
  if (!json && plan->memcpy_variant == plan->memmove_variant) {
    explain(&output, table, "both", 0, size);
  } else {
    explain(&output, table, "memcpy", 0, size);
    explain(&output, table, "memmove", 1, size);
  }
  output_rows(&output, table);
  output_end(&output);
  return TUNE_DONE;
}
