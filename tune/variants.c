/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "lib/fastcopy.h"
#include "output.h"

static const char help[] =
    "Usage: fastcopy-tune variants [OPTION]...\n"
    "List the copy variants in the order of preference.\n"
    "\n"
    "  -j, --json  JSON instead of a table\n"
    "  -h, --help  this text\n"
    "\n"
    "Columns: name, as FASTCOPY_VARIANT takes it; needs, the CPU features that it executes;\n"
    "usable, whether this CPU has them; kind, \"built-in\" for what the built-in rules may choose,\n"
    "\"measured-only\" for what a tuning table or FASTCOPY_VARIANT must ask for; in_force, the\n"
    "functions that it serves in this process.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";

enum { NAME, NEEDS, USABLE, KIND, IN_FORCE, COLUMNS };
static const struct output_column columns[COLUMNS] = {[NAME] = {"name", OUTPUT_TEXT},
                                                      [NEEDS] = {"needs", OUTPUT_TEXT},
                                                      [USABLE] = {"usable", OUTPUT_FLAG},
                                                      [KIND] = {"kind", OUTPUT_TEXT},
                                                      [IN_FORCE] = {"in_force", OUTPUT_TEXT}};

int tune_variants(int argc, char **argv) {
  bool json = false;
  int code;
  if (tune_options(argc, argv, help, &json, &code) != 0)
    return code;
  if (optind < argc)
    return tune_usage("variants takes no argument, and '%s' is one", argv[optind]);

  struct fastcopy_plan plan = {.size = sizeof plan};
  fastcopy_describe(&plan);
  struct output output;
  output_begin(&output, json);
  struct libscols_table *table = output_table(&output, "variants", columns, COLUMNS);
  struct fastcopy_variant variant = {.size = sizeof variant};
  for (size_t i = 0; fastcopy_variants(i, &variant) == 0; i++) {
    bool for_memcpy = strcmp(variant.name, plan.memcpy_variant) == 0;
    bool for_memmove = strcmp(variant.name, plan.memmove_variant) == 0;
    struct libscols_line *line = output_line(table);
    output_text(line, NAME, variant.name);
    output_text(line, NEEDS, variant.needs);
    output_flag(line, USABLE, variant.usable);
    output_text(line, KIND, variant.measured_only ? "measured-only" : "built-in");
    output_text(line, IN_FORCE,
                for_memcpy && for_memmove ? "memcpy, memmove"
                : for_memcpy              ? "memcpy"
                : for_memmove             ? "memmove"
                                          : "");
  }
  output_rows(&output, table);
  output_end(&output);
  return TUNE_DONE;
}
