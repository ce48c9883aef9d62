/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "identity.h"
#include "lib/fastcopy.h"
#include "output.h"
#include "table_file.h"

static const char help[] =
    "Usage: fastcopy-tune show [OPTION]... [FILE]\n"
    "Show the plan in force in this process, the tuning table that it came from, and the caches.\n"
    "With FILE: show the entries of that tuning table, and whether it would be used on this CPU.\n"
    "\n"
    "  -j, --json  JSON instead of text\n"
    "  -h, --help  this text\n"
    "\n"
    "Environment: FASTCOPY_TABLE, FASTCOPY_VARIANT and FASTCOPY_DISABLE work as in any program.\n"
    "Exit codes: 0 done, 1 failed (FILE is missing or damaged), 2 wrong usage.\n";

/* A parameter that a table leaves out keeps its built-in value. */
enum { SHOWN_PARAMS = (int)FC_PARAM_COUNT < FC_TABLE_PARAMS ? (int)FC_PARAM_COUNT : FC_TABLE_PARAMS };

static const char *arch_name(uint32_t arch) {
  switch (arch) {
  case FC_ARCH_X86_64:
    return "x86_64";
  case FC_ARCH_PPC64LE:
    return "ppc64le";
  case FC_ARCH_PPC64:
    return "ppc64";
  case FC_ARCH_PPC32:
    return "ppc32";
  }
  return "unknown";
}

static void hexadecimal(struct libscols_line *line, size_t column, uint64_t value, int digits) {
  char text[24];
  snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
  output_text(line, column, text);
}

static void put_time(struct libscols_line *line, size_t column, uint64_t seconds) {
  char text[32];
  time_t time = (time_t)seconds;
  struct tm utc;
  /* four digits of year are what ISO 8601 has; 0 stands for "not known" */
  if (seconds == 0 || seconds > 253402300799u || gmtime_r(&time, &utc) == NULL)
    return;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  output_text(line, column, text);
}

static bool same_cpu(const struct fc_table_entry *entry, const struct fc_cpu *cpu) {
  return entry->cpu.arch == cpu->arch && entry->cpu.id == cpu->id &&
         entry->feature_hash == fc_feature_hash(cpu->features);
}

/* The entry that the resolver would take. */
static const struct fc_table_entry *find_entry(const struct table_file *file, const struct fc_cpu *cpu) {
  for (size_t i = 0; i < file->count; i++) {
    if (same_cpu(&file->entries[i], cpu))
      return &file->entries[i];
  }
  return NULL;
}

/* Of another architecture: by position, for want of the names. */
static void put_foreign_params(struct libscols_line *line, size_t column, const struct fc_table_entry *entry) {
  char text[FC_TABLE_PARAMS * 24] = "";
  size_t length = 0;
  for (unsigned i = 0; i < entry->param_count && i < FC_TABLE_PARAMS; i++) {
    char size[32];
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? "" : " ",
                               output_size(size, entry->params[i]));
  }
  output_text(line, column, text);
}

static void show_entries(struct output *output, const struct table_file *file, const struct fc_cpu *cpu) {
  enum { CPU_NAME, ARCH, CPU, HASH, THIS_CPU, MEMCPY, MEMMOVE, PARAMS };
  enum { FOREIGN = PARAMS + SHOWN_PARAMS, DATE, TOOL, GAIN, COLUMNS };
  struct output_column columns[COLUMNS] = {
      [CPU_NAME] = {"cpu_name", OUTPUT_TEXT}, [ARCH] = {"arch", OUTPUT_TEXT},
      [CPU] = {"cpu", OUTPUT_TEXT},           [HASH] = {"feature_hash", OUTPUT_TEXT},
      [THIS_CPU] = {"this_cpu", OUTPUT_FLAG}, [MEMCPY] = {"memcpy", OUTPUT_TEXT},
      [MEMMOVE] = {"memmove", OUTPUT_TEXT},   [FOREIGN] = {"other_parameters", OUTPUT_TEXT},
      [DATE] = {"date", OUTPUT_TEXT},         [TOOL] = {"tool", OUTPUT_TEXT},
      [GAIN] = {"gain", OUTPUT_NUMBER},
  };
  for (int i = 0; i < SHOWN_PARAMS; i++)
    columns[PARAMS + i] = (struct output_column){fc_params[i].name, OUTPUT_NUMBER};
  struct libscols_table *table = output_table(output, "entries", columns, COLUMNS);
  const struct fc_table_entry *taken = find_entry(file, cpu);
  for (size_t i = 0; i < file->count; i++) {
    const struct fc_table_entry *entry = &file->entries[i];
    struct libscols_line *line = output_line(table);
    output_text(line, CPU_NAME, entry->cpu_name);
    output_text(line, ARCH, arch_name(entry->cpu.arch));
    hexadecimal(line, CPU, entry->cpu.id, 8);
    hexadecimal(line, HASH, entry->feature_hash, 16);
    output_flag(line, THIS_CPU, entry == taken);
    output_text(line, MEMCPY, entry->memcpy_variant);
    output_text(line, MEMMOVE, entry->memmove_variant);
    if (entry->cpu.arch == cpu->arch) {
      for (unsigned j = 0; j < SHOWN_PARAMS; j++) {
        if (j < entry->param_count)
          output_bytes(output, line, PARAMS + j, entry->params[j]);
        else if (!output->json)
          output_text(line, PARAMS + j, "built-in");
      }
    } else {
      put_foreign_params(line, FOREIGN, entry);
    }
    put_time(line, DATE, entry->time);
    output_text(line, TOOL, entry->tool);
    if (entry->gain != 0)
      output_decimal(line, GAIN, entry->gain / 1000.0, 3);
  }
  output_fields(output, table);
}

/* What set-user-ID and otherwise privileged processes do with the file: the conditions of the resolver. */
static const char *privileged_use(const char *path) {
  if (strcmp(path, TUNE_TABLE_PATH) != 0)
    return "do not read it: they read " TUNE_TABLE_PATH " alone";
  const char *const paths[] = {TUNE_TABLE_PATH, FC_TABLE_FOLDER};
  for (size_t i = 0; i < 2; i++) {
    struct stat status;
    if (lstat(paths[i], &status) != 0 || S_ISLNK(status.st_mode) || status.st_uid != 0 || (status.st_mode & 022) != 0)
      return i == 0 ? "ignore it: the file must be no link, owned by root and writable by nobody else"
                    : "ignore it: " FC_TABLE_FOLDER " must be no link, owned by root and writable by nobody else";
  }
  return "use it too";
}

/* file: NULL when there is none to show; JSON has the key all the same. */
static void show_file(struct output *output, const char *path, const struct table_file *file, bool used,
                      const char *reason) {
  enum { PATH, ENTRIES, CURVES, USED_HERE, REASON, PRIVILEGED, COLUMNS };
  static const struct output_column columns[COLUMNS] = {
      [PATH] = {"table", OUTPUT_TEXT},    [ENTRIES] = {"entry_count", OUTPUT_NUMBER},
      [CURVES] = {"curves", OUTPUT_FLAG}, [USED_HERE] = {"used_here", OUTPUT_FLAG},
      [REASON] = {"reason", OUTPUT_TEXT}, [PRIVILEGED] = {"privileged_processes", OUTPUT_TEXT},
  };
  struct libscols_table *table = output_table(output, "file", columns, COLUMNS);
  if (file != NULL) {
    struct libscols_line *line = output_line(table);
    output_text(line, PATH, path);
    output_number(line, ENTRIES, file->count);
    output_flag(line, CURVES, file->curves != NULL);
    output_flag(line, USED_HERE, used);
    output_text(line, REASON, reason);
    output_text(line, PRIVILEGED, privileged_use(path));
  }
  output_fields(output, table);
}

static void show_parameters(struct output *output, const struct fastcopy_plan *plan) {
  static const struct output_column columns[] = {
      {"parameter", OUTPUT_TEXT}, {"value", OUTPUT_NUMBER}, {"meaning", OUTPUT_WRAP}};
  struct libscols_table *table = output_table(output, "parameters", columns, 3);
  for (size_t i = 0; i < plan->parameter_count; i++) {
    struct libscols_line *line = output_line(table);
    output_text(line, 0, plan->parameters[i].name);
    output_bytes(output, line, 1, plan->parameters[i].value);
    output_text(line, 2, plan->parameters[i].doc);
  }
  output_rows(output, table);
}

static void show_cpu(struct output *output, const struct fastcopy_plan *plan) {
  struct identity identity;
  identity_read(&identity);
  enum { NAME, ARCH, ID, FEATURES, HASH, DOUBTS, COLUMNS };
  static const struct output_column columns[COLUMNS] = {
      [NAME] = {"cpu_name", OUTPUT_TEXT},
      [ARCH] = {"arch", OUTPUT_TEXT},
      [ID] = {"cpu", OUTPUT_TEXT},
      [FEATURES] = {"features", OUTPUT_TEXT},
      [HASH] = {"feature_hash", OUTPUT_TEXT},
      [DOUBTS] = {"doubts", OUTPUT_TEXT},
  };
  struct libscols_table *table = output_table(output, "cpu", columns, COLUMNS);
  struct libscols_line *line = output_line(table);
  output_text(line, NAME, identity.name);
  output_text(line, ARCH, arch_name(FC_ARCH_THIS));
  hexadecimal(line, ID, plan->cpu, 8);
  output_text(line, FEATURES, plan->features);
  hexadecimal(line, HASH, plan->feature_hash, 16);
  output_text(line, DOUBTS, identity.doubts);
  output_fields(output, table);

  static const struct output_column cache_columns[] = {
      {"cache", OUTPUT_TEXT}, {"size", OUTPUT_NUMBER}, {"source", OUTPUT_TEXT}};
  table = output_table(output, "caches", cache_columns, 3);
  const struct cache_size *const sizes[] = {&identity.l1d, &identity.l2, &identity.l3};
  static const char *const names[] = {"L1d", "L2", "L3"};
  for (size_t i = 0; i < 3; i++) {
    line = output_line(table);
    output_text(line, 0, names[i]);
    if (sizes[i]->source != CACHE_UNKNOWN)
      output_bytes(output, line, 1, sizes[i]->bytes);
    output_text(line, 2, cache_source_text(sizes[i]->source));
  }
  output_rows(output, table);
}

static int show_named(struct output *output, bool json, const char *path, const struct fc_cpu *cpu) {
  struct table_file file;
  enum fc_table_status status = table_file_read(&file, path);
  if (status != FC_TABLE_MATCH) {
    table_file_complain(&file, path, status);
    return TUNE_FAILED;
  }
  const struct fc_table_entry *entry = find_entry(&file, cpu);
  struct fc_plan plan;
  fc_plan_make(&plan, cpu, entry != NULL ? FC_TABLE_MATCH : FC_TABLE_NO_ENTRY, entry, &(struct fc_env){0});
  output_begin(output, json);
  show_file(output, path, &file, plan.source == FC_SOURCE_TABLE, fc_reason_text(plan.reason));
  show_entries(output, &file, cpu);
  output_end(output);
  table_file_free(&file);
  return TUNE_DONE;
}

static int show_process(struct output *output, bool json, const struct fc_cpu *cpu) {
  struct fastcopy_plan plan = {.size = sizeof plan};
  fastcopy_describe(&plan);
  const char *path = tune_table_path();
  struct table_file file;
  enum fc_table_status status = table_file_read(&file, path);
  /* the plan stands whatever became of the table; where it is damaged belongs to the warnings */
  if (status != FC_TABLE_MATCH && status != FC_TABLE_ABSENT)
    table_file_complain(&file, path, status);
  output_begin(output, json);
  output_plan(output, &plan);
  show_parameters(output, &plan);
  show_cpu(output, &plan);
  bool used = strcmp(plan.source, fc_source_text(FC_SOURCE_TABLE)) == 0;
  show_file(output, path, status == FC_TABLE_MATCH ? &file : NULL, used, plan.reason);
  show_entries(output, &file, cpu);
  if (status == FC_TABLE_ABSENT && !json)
    printf("\nThere is no tuning table %s: fastcopy-tune calibrate measures this machine and writes one.\n", path);
  output_end(output);
  table_file_free(&file);
  return TUNE_DONE;
}

int tune_show(int argc, char **argv) {
  bool json = false;
  int code;
  if (tune_options(argc, argv, help, &json, &code) != 0)
    return code;
  if (optind + 1 < argc)
    return tune_usage("show takes one file, and '%s' is a second one", argv[optind + 1]);
  struct output output;
  const struct fc_cpu *cpu = &fc_report.cpu;
  return optind < argc ? show_named(&output, json, argv[optind], cpu) : show_process(&output, json, cpu);
}
