/* SPDX-License-Identifier: MIT */
/* fastcopy-tune calibrate: measure, decide, write the table. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/fastcopy.h"
#include "output.h"
#include "stages.h"
#include "table_file.h"

static const char help[] =
    "Usage: fastcopy-tune calibrate [OPTION]...\n"
    "Measure this machine and write the plan that won into the tuning table. Takes up to 30 seconds; other work\n"
    "on the machine makes it less sure, not wrong.\n"
    "\n"
    "  -o, --output FILE  the table to write; entries of other CPUs in it stay. Default: FASTCOPY_TABLE, else\n"
    "                     " TUNE_TABLE_PATH "\n"
    "  -w, --workload FILE\n"
    "                     weigh by this recording of fastcopy-tune record in place of those built in; given again:\n"
    "                     each counts as much as the others\n"
    "  -q, --quick        5 seconds; does not replace what a full run has written\n"
    "  -e, --explain      also what each choice was made from: candidates and thresholds with their gains\n"
    "  -j, --json         JSON instead of tables\n"
    "  -h, --help         this text\n"
    "\n"
    "The built-in choice is replaced only by one that is at least 2 % faster, beyond what chance explains, on a\n"
    "mix of copies as programs make them, which fastcopy-tune workload shows. Columns: times in nanoseconds a\n"
    "call; over_builtin and over_system, how many times as fast as the built-in plan and as the C library; low and\n"
    "high, 95 % interval of over_builtin.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, nothing was written, 2 wrong usage.\n";

#define QUICK_MARK " quick" /* ends the version in an entry that a quick run wrote */

struct run {
  const char *path;
  bool quick, json, explain;
  char **workloads; /* paths; none: what is built in */
  size_t workload_count;
  struct workload workload;
  struct stages stages;
  struct checked *checked;
  size_t checked_count;
  struct estimate gain; /* of the plan over the built-in one, on the workload */
};

static bool is_quick(const struct fc_table_entry *entry) { return strstr(entry->tool, QUICK_MARK) != NULL; }

static bool of_this_cpu(const struct fc_table_entry *entry) {
  return entry->cpu.arch == fc_report.cpu.arch && entry->cpu.id == fc_report.cpu.id &&
         entry->feature_hash == fc_feature_hash(fc_report.cpu.features);
}

/* Reads what the output holds; an absent file is an empty table. Refuses files that are something else, or full. */
static int read_old(struct table_file *file, const struct run *run) {
  enum fc_table_status status = table_file_read(file, run->path);
  if (status != FC_TABLE_MATCH && status != FC_TABLE_ABSENT) {
    tune_error("%s: %s, so it is left alone: move it away, or name another --output", run->path,
               fc_reason_text(status));
    return -1;
  }
  bool has_this_cpu = false;
  for (size_t i = 0; i < file->count; i++) {
    has_this_cpu |= of_this_cpu(&file->entries[i]);
    if (run->quick && of_this_cpu(&file->entries[i]) && !is_quick(&file->entries[i])) {
      tune_error("%s has an entry of this CPU from a full run, which --quick does not replace: leave out --quick, "
                 "or name another --output",
                 run->path);
      return -1;
    }
  }
  if (!has_this_cpu && file->count >= FC_ENTRY_COUNT_MAX) {
    tune_error("%s has %zu entries of other CPUs, and a table holds %d: name another --output", run->path, file->count,
               FC_ENTRY_COUNT_MAX);
    return -1;
  }
  return 0;
}

/* What the library asks of the table of a privileged process, but for the file, which is written anew. */
static void warn_untrusted(const struct run *run) {
  struct stat status;
  const char *fault = NULL;
  if (strcmp(run->path, TUNE_TABLE_PATH) != 0)
    return;
  if (geteuid() != 0)
    fault = "it will not belong to root";
  else if (lstat(FC_TABLE_FOLDER, &status) != 0)
    return; /* it will be made */
  else if (S_ISLNK(status.st_mode))
    fault = "its folder is a symbolic link";
  else if (status.st_uid != 0)
    fault = "its folder does not belong to root";
  else if ((status.st_mode & 022) != 0)
    fault = "others than root may write its folder";
  if (fault != NULL)
    tune_error("warning: privileged processes will not use %s: %s", run->path, fault);
}

/* Everything that could keep the result from being written, said before the measuring. */
static int check_output(const struct run *run) {
  if (table_file_writable(run->path) != 0)
    return -1;
  struct table_file file = {0};
  int result = read_old(&file, run);
  table_file_free(&file);
  if (result == 0)
    warn_untrusted(run);
  return result;
}

static void fill_entry(struct fc_table_entry *entry, const struct run *run) {
  const struct fc_plan *plan = &run->stages.plan;
  *entry = (struct fc_table_entry){.cpu = fc_report.cpu, .feature_hash = fc_feature_hash(fc_report.cpu.features)};
  snprintf(entry->memcpy_variant, sizeof entry->memcpy_variant, "%s", fc_variants[plan->memcpy_variant].name);
  snprintf(entry->memmove_variant, sizeof entry->memmove_variant, "%s", fc_variants[plan->memmove_variant].name);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    entry->params[i] = plan->params[i] == SIZE_MAX ? UINT64_MAX : plan->params[i];
  entry->param_count = FC_PARAM_COUNT;
  entry->gain = (uint32_t)lround(1000 * run->gain.ratio);
  entry->time = (uint64_t)time(NULL);
  snprintf(entry->tool, sizeof entry->tool, "%s%s", FASTCOPY_VERSION_STRING, run->quick ? QUICK_MARK : "");
  snprintf(entry->cpu_name, sizeof entry->cpu_name, "%s", run->stages.identity.name);
}

/*
 * The curves of a table are a JSON array with one line a CPU, so that those of other CPUs can be kept without
 * reading JSON. Returns malloc'ed text, or NULL.
 */
static char *merge_curves(const char *old, const struct fc_table_entry *entry, const char *points) {
  char key[96], *text = NULL, name[sizeof entry->cpu_name];
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (file == NULL)
    return NULL;
  for (size_t i = 0; i < sizeof name; i++) {
    char c = entry->cpu_name[i];
    name[i] = c == '"' || c == '\\' || (c > '\0' && c < ' ') ? '?' : c;
  }
  snprintf(key, sizeof key, "{\"signature\":\"%u-%08x-%016llx\",", entry->cpu.arch, entry->cpu.id,
           (unsigned long long)entry->feature_hash);
  fprintf(file, "[\n%s\"cpu\":\"%s\",\"time\":%llu,\"tool\":\"%s\",\"points\":[%s]}", key, name,
          (unsigned long long)entry->time, entry->tool, points);
  for (const char *line = old; line != NULL && *line != '\0';) {
    size_t length = strcspn(line, "\n");
    size_t used = length != 0 && line[length - 1] == ',' ? length - 1 : length;
    if (strncmp(line, "{\"signature\":", 13) == 0 && strncmp(line, key, strlen(key)) != 0)
      fprintf(file, ",\n%.*s", (int)used, line);
    line += length + (line[length] == '\n');
  }
  fputs("\n]\n", file);
  if (ferror(file) | (fclose(file) != 0)) {
    free(text);
    return NULL;
  }
  return text;
}

static int write_table(const struct run *run, const char *points) {
  struct table_file file = {0};
  struct fc_table_entry entry;
  fill_entry(&entry, run);
  /* read again: another run may have written meanwhile */
  if (table_file_lock(run->path) != 0)
    return -1;
  int result = read_old(&file, run);
  if (result == 0) {
    char *curves = merge_curves(file.curves, &entry, points);
    if (curves == NULL || table_file_put(&file, &entry) != 0) {
      tune_error("not enough memory for the table");
      free(curves);
      result = -1;
    } else {
      free(file.curves);
      file.curves = curves;
      result = table_file_write(&file, run->path);
    }
  }
  table_file_unlock();
  table_file_free(&file);
  return result;
}

/* Output */

static void print_plan(struct output *output, const struct run *run, double seconds) {
  enum { CPU, MEMCPY, MEMMOVE, BEFORE, CHANGED, GAIN, NOISE, SECONDS, WORKLOAD, WRITTEN, FIXED };
  const struct fc_plan *plan = &run->stages.plan, *builtin = &run->stages.builtin;
  struct output_column columns[FIXED + FC_PARAM_COUNT] = {
      [CPU] = {"cpu", OUTPUT_TEXT},           [MEMCPY] = {"memcpy", OUTPUT_TEXT},
      [MEMMOVE] = {"memmove", OUTPUT_TEXT},   [BEFORE] = {"builtin", OUTPUT_TEXT},
      [CHANGED] = {"changed", OUTPUT_TEXT},   [GAIN] = {"gain", OUTPUT_NUMBER},
      [NOISE] = {"noise", OUTPUT_NUMBER},     [SECONDS] = {"seconds", OUTPUT_NUMBER},
      [WORKLOAD] = {"workload", OUTPUT_TEXT}, [WRITTEN] = {"written", OUTPUT_TEXT}};
  for (size_t i = 0; i < FC_PARAM_COUNT; i++)
    columns[FIXED + i] = (struct output_column){fc_params[i].name, OUTPUT_NUMBER};
  struct libscols_table *table = output_table(output, "plan", columns, FIXED + FC_PARAM_COUNT);
  struct libscols_line *line = output_line(table);
  char changed[512] = "";
  size_t length = 0;
  if (plan->memcpy_variant != builtin->memcpy_variant)
    length += (size_t)snprintf(changed + length, sizeof changed - length, "memcpy ");
  if (plan->memmove_variant != builtin->memmove_variant)
    length += (size_t)snprintf(changed + length, sizeof changed - length, "memmove ");
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    output_bytes(output, line, FIXED + i, plan->params[i]);
    if (plan->params[i] != builtin->params[i])
      length += (size_t)snprintf(changed + length, sizeof changed - length, "%s ", fc_params[i].name);
  }
  if (length != 0)
    changed[length - 1] = '\0';
  output_text(line, CPU, run->stages.identity.name);
  output_text(line, MEMCPY, fc_variants[plan->memcpy_variant].name);
  output_text(line, MEMMOVE, fc_variants[plan->memmove_variant].name);
  output_text(line, BEFORE, fc_variants[builtin->memcpy_variant].name);
  output_text(line, CHANGED, length != 0 ? changed : "nothing");
  output_decimal(line, GAIN, run->gain.ratio, 3);
  output_decimal(line, NOISE, run->stages.same.high / run->stages.same.low - 1, 4);
  output_decimal(line, SECONDS, seconds, 1);
  if (run->workload_count > 1)
    snprintf(changed, sizeof changed, "%s and %zu more", run->workloads[0], run->workload_count - 1);
  output_text(line, WORKLOAD,
              run->workload_count == 0   ? "built-in"
              : run->workload_count == 1 ? run->workloads[0]
                                         : changed);
  output_text(line, WRITTEN, run->path);
  output_fields(output, table);
}

/* Memory that others use as well can be so restless that two figures say nothing about each other. */
static bool is_sure(const struct checked *checked) {
  return checked->over_builtin.high < 1.2 * checked->over_builtin.low;
}

/* Slower than built in by more than 1 %, and not by chance. */
static bool got_worse(const struct checked *checked) {
  return checked->over_builtin.ratio < 0.99 && checked->over_builtin.high < 0.99;
}

static void print_scenarios(struct output *output, const struct run *run, bool worse) {
  enum { SYMBOL, SCENARIO, SYSTEM, BUILTIN, PLAN, OVER_BUILTIN, LOW, HIGH, OVER_SYSTEM, COLUMNS };
  static const struct output_column columns[COLUMNS] = {[SYMBOL] = {"symbol", OUTPUT_TEXT},
                                                        [SCENARIO] = {"scenario", OUTPUT_TEXT},
                                                        [SYSTEM] = {"system_ns", OUTPUT_NUMBER},
                                                        [BUILTIN] = {"builtin_ns", OUTPUT_NUMBER},
                                                        [PLAN] = {"plan_ns", OUTPUT_NUMBER},
                                                        [OVER_BUILTIN] = {"over_builtin", OUTPUT_NUMBER},
                                                        [LOW] = {"low", OUTPUT_NUMBER},
                                                        [HIGH] = {"high", OUTPUT_NUMBER},
                                                        [OVER_SYSTEM] = {"over_system", OUTPUT_NUMBER}};
  struct libscols_table *table = output_table(output, worse ? "worse" : "scenarios", columns, COLUMNS);
  for (size_t i = 0; i < run->checked_count; i++) {
    const struct checked *checked = &run->checked[i];
    if (worse && !got_worse(checked))
      continue;
    struct libscols_line *line = output_line(table);
    output_text(line, SYMBOL, checked->for_memmove ? "memmove" : "memcpy");
    output_text(line, SCENARIO, checked->name);
    output_decimal(line, SYSTEM, checked->system, 2);
    output_decimal(line, BUILTIN, checked->builtin, 2);
    output_decimal(line, PLAN, checked->plan, 2);
    output_decimal(line, OVER_BUILTIN, checked->over_builtin.ratio, 3);
    output_decimal(line, LOW, checked->over_builtin.low, 3);
    output_decimal(line, HIGH, checked->over_builtin.high, 3);
    output_decimal(line, OVER_SYSTEM, checked->over_system.ratio, 3);
  }
  output_rows(output, table);
}

/* Geometric means of the scenarios of a group. */
static void print_groups(struct output *output, const struct run *run) {
  enum { SYMBOL, GROUP, OVER_BUILTIN, OVER_SYSTEM, COLUMNS };
  static const struct output_column columns[COLUMNS] = {[SYMBOL] = {"symbol", OUTPUT_TEXT},
                                                        [GROUP] = {"group", OUTPUT_TEXT},
                                                        [OVER_BUILTIN] = {"over_builtin", OUTPUT_NUMBER},
                                                        [OVER_SYSTEM] = {"over_system", OUTPUT_NUMBER}};
  struct libscols_table *table = output_table(output, "groups", columns, COLUMNS);
  for (size_t i = 0; i < run->checked_count; i++) {
    const struct checked *first = &run->checked[i];
    bool seen = false;
    double builtin = 0, system_log = 0;
    size_t count = 0;
    for (size_t j = 0; j < run->checked_count; j++) {
      const struct checked *other = &run->checked[j];
      if (other->for_memmove != first->for_memmove || strcmp(other->group, first->group) != 0)
        continue;
      seen |= j < i;
      if (!is_sure(other))
        continue;
      builtin += log(other->over_builtin.ratio);
      system_log += log(other->over_system.ratio);
      count++;
    }
    if (seen || count == 0)
      continue;
    struct libscols_line *line = output_line(table);
    output_text(line, SYMBOL, first->for_memmove ? "memmove" : "memcpy");
    output_text(line, GROUP, first->group);
    output_decimal(line, OVER_BUILTIN, exp(builtin / (double)count), 3);
    output_decimal(line, OVER_SYSTEM, exp(system_log / (double)count), 3);
  }
  output_rows(output, table);
}

/* rounds: of those that were never dropped */
static const char *verdict(const struct why_candidate *row, bool builtin, bool chosen, unsigned rounds) {
  if (chosen)
    return builtin ? "chosen, built-in" : "chosen";
  if (row->dropped)
    return row->rounds < rounds ? "dropped, too far behind" : "too far behind";
  return builtin ? "built-in" : "";
}

/* One line a candidate and function; the first is what is built in, and what the others are compared with. */
static void print_candidates(struct output *output, const struct run *run) {
  enum { SYMBOL, CANDIDATE, GAIN, LOW, HIGH, ROUNDS, VERDICT, COLUMNS };
  static const struct output_column columns[COLUMNS] = {
      [SYMBOL] = {"symbol", OUTPUT_TEXT},  [CANDIDATE] = {"candidate", OUTPUT_TEXT},
      [GAIN] = {"gain", OUTPUT_NUMBER},    [LOW] = {"low", OUTPUT_NUMBER},
      [HIGH] = {"high", OUTPUT_NUMBER},    [ROUNDS] = {"rounds", OUTPUT_NUMBER},
      [VERDICT] = {"verdict", OUTPUT_TEXT}};
  const struct why *why = &run->stages.why;
  struct libscols_table *table = output_table(output, "candidates", columns, COLUMNS);
  unsigned rounds = why->candidate_count != 0 ? why->candidates[0].rounds : 0;
  for (int for_memmove = 0; for_memmove < 2; for_memmove++) {
    for (size_t i = 0; i < why->candidate_count; i++) {
      const struct why_candidate *row = &why->candidates[i];
      const struct estimate *gain = for_memmove ? &row->candidate.for_memmove : &row->candidate.for_memcpy;
      char text[64];
      struct libscols_line *line = output_line(table);
      output_text(line, SYMBOL, for_memmove ? "memmove" : "memcpy");
      output_text(line, CANDIDATE, stage_candidate_name(text, sizeof text, &row->candidate));
      output_decimal(line, GAIN, gain->ratio, 3);
      output_decimal(line, LOW, gain->low, 3);
      output_decimal(line, HIGH, gain->high, 3);
      output_number(line, ROUNDS, row->rounds);
      output_text(line, VERDICT, verdict(row, i == 0, for_memmove ? row->for_memmove : row->for_memcpy, rounds));
    }
  }
  output_rows(output, table);
}

/* Every size, distance or value at which another way of copying was compared. */
static void print_points(struct output *output, const struct run *run) {
  enum { DECISION, AGAINST, AT, GAIN, LOW, HIGH, WORST, SKEWED, COLUMNS };
  static const struct output_column columns[COLUMNS] = {
      [DECISION] = {"decision", OUTPUT_TEXT}, [AGAINST] = {"against", OUTPUT_TEXT}, [AT] = {"at", OUTPUT_NUMBER},
      [GAIN] = {"gain", OUTPUT_NUMBER},       [LOW] = {"low", OUTPUT_NUMBER},       [HIGH] = {"high", OUTPUT_NUMBER},
      [WORST] = {"worst", OUTPUT_NUMBER},     [SKEWED] = {"skewed", OUTPUT_NUMBER}};
  const struct why *why = &run->stages.why;
  struct libscols_table *table = output_table(output, "points", columns, COLUMNS);
  for (size_t i = 0; i < why->point_count; i++) {
    const struct why_point *row = &why->points[i];
    struct libscols_line *line = output_line(table);
    output_text(line, DECISION, row->decision);
    output_text(line, AGAINST, row->against);
    output_bytes(output, line, AT, row->point.size);
    output_decimal(line, GAIN, row->point.gain.ratio, 3);
    output_decimal(line, LOW, row->point.gain.low, 3);
    output_decimal(line, HIGH, row->point.gain.high, 3);
    /* not every decision looks at single cells, or at unfavourable distances */
    if (row->point.worst > 0)
      output_decimal(line, WORST, row->point.worst, 3);
    if (row->point.skewed.ratio > 0)
      output_decimal(line, SKEWED, row->point.skewed.ratio, 3);
  }
  output_rows(output, table);
}

static void print_decisions(struct output *output, const struct run *run) {
  enum { PARAMETER, BUILTIN, CHOSEN, MEANING, COLUMNS };
  static const struct output_column columns[COLUMNS] = {[PARAMETER] = {"parameter", OUTPUT_TEXT},
                                                        [BUILTIN] = {"builtin", OUTPUT_NUMBER},
                                                        [CHOSEN] = {"chosen", OUTPUT_NUMBER},
                                                        [MEANING] = {"meaning", OUTPUT_WRAP}};
  struct libscols_table *table = output_table(output, "decisions", columns, COLUMNS);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    struct libscols_line *line = output_line(table);
    output_text(line, PARAMETER, fc_params[i].name);
    output_bytes(output, line, BUILTIN, run->stages.builtin.params[i]);
    output_bytes(output, line, CHOSEN, run->stages.plan.params[i]);
    output_text(line, MEANING, fc_params[i].doc);
  }
  output_rows(output, table);
}

static void print_explanation(struct output *output, const struct run *run) {
  if (!run->json)
    puts("\nThe variants, by the weighted cost of the workload: gain over the built-in one, 95 % interval, rounds "
         "measured.");
  print_candidates(output, run);
  if (!run->json)
    puts("\nOther ways to copy, size by size: gain, 95 % interval, the worst single case, and at unfavourable "
         "distances.");
  print_points(output, run);
  if (!run->json)
    puts("\nWhat came of it:");
  print_decisions(output, run);
}

static void print_result(const struct run *run, double seconds) {
  struct output output;
  output_begin(&output, run->json);
  print_plan(&output, run, seconds);
  print_groups(&output, run);
  print_scenarios(&output, run, false);
  size_t worse = 0;
  for (size_t i = 0; i < run->checked_count; i++)
    worse += got_worse(&run->checked[i]);
  if (run->json) {
    print_scenarios(&output, run, true);
  } else if (worse == 0) {
    puts("\nNothing got slower than the built-in plan by more than 1 %.");
  } else {
    printf("\nSlower than the built-in plan by more than 1 %%:\n");
    for (size_t i = 0; i < run->checked_count; i++) {
      const struct checked *checked = &run->checked[i];
      if (got_worse(checked))
        printf("  %s, %s: %.2f ns a call instead of %.2f (%.1f %%)\n", checked->for_memmove ? "memmove" : "memcpy",
               checked->name, checked->plan, checked->builtin, 100 * (1 / checked->over_builtin.ratio - 1));
    }
  }
  if (run->explain)
    print_explanation(&output, run);
  output_end(&output);
  if (run->json)
    return;
  if (strcmp(run->path, TUNE_TABLE_PATH) == 0)
    printf("\nWritten to %s: every process that starts with libfastcopy uses it. One program: fastcopy-run PROGRAM\n",
           run->path);
  else
    printf("\nWritten to %s. To use it: FASTCOPY_TABLE=%s fastcopy-run PROGRAM\n"
           "For all programs: sudo install -D -m 644 %s %s\n",
           run->path, run->path, run->path, TUNE_TABLE_PATH);
}

static int measure(struct run *run) {
  struct stages *stages = &run->stages;
  if (stages_open(stages) != 0)
    return -1;
  int result = stage_levels(stages);
  if (result == 0)
    result = stage_variants(stages);
  if (result == 0 && decision_noisy(stages->same)) {
    stages_close(stages);
    tune_error("this machine is too busy to tell plans apart: the same plan measured twice differs by %.1f %%, within "
               "%.1f %%; nothing was changed. Run it again when less is going on",
               100 * fabs(stages->same.ratio - 1), 100 * (stages->same.high / stages->same.low - 1));
    return -1;
  }
  if (result == 0)
    result = stage_large(stages);
  if (result == 0 && stages->restless) {
    stages_close(stages);
    tune_error("the memory of this machine is too busy to compare large copies; nothing was changed. Run it again when "
               "less is going on");
    return -1;
  }
  if (result == 0)
    result = stage_check(stages, &run->checked, &run->checked_count, &run->gain);
  stages_close(stages);
  /* what chance explains is no gain and no loss */
  if (run->gain.low <= 1 && run->gain.high >= 1)
    run->gain.ratio = 1;
  return result;
}

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"workload", required_argument, NULL, 'w'},
                                        {"quick", no_argument, NULL, 'q'},
                                        {"explain", no_argument, NULL, 'e'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

/* 0, or -1 after a line on standard error. */
static int read_workload(struct run *run) {
  struct workload_file *files;
  size_t count;
  if (workload_load(&files, &count, run->workloads, run->workload_count) != 0)
    return -1;
  int result = workload_make(&run->workload, files, count);
  if (result != 0)
    tune_error("not enough memory for the workloads");
  workload_unload(files, count);
  run->stages.workload = &run->workload;
  return result;
}

/* Everything, after the options. */
static int calibrate(struct run *run) {
  struct stages *stages = &run->stages;
  if (read_workload(run) != 0 || check_output(run) != 0)
    return TUNE_FAILED;
  char *points = NULL;
  size_t points_size;
  stages->start = now_ns();
  stages->seconds = run->quick ? 4.6 : 28.5;
  stages->largest = (size_t)(run->quick ? 16 : 64) << 20;
  stages->random.state = 1;
  stages->progress = isatty(STDERR_FILENO);
  stages->curves = open_memstream(&points, &points_size);
  if (stages->curves == NULL) {
    tune_error("%s", strerror(errno));
    return TUNE_FAILED;
  }
  identity_read(&stages->identity);
  int result = measure(run);
  if (ferror(stages->curves) | (fclose(stages->curves) != 0))
    result = -1;
  if (result == 0)
    result = write_table(run, points);
  if (result == 0)
    print_result(run, (double)(now_ns() - stages->start) / 1e9);
  free(points);
  free(run->checked);
  free(stages->why.candidates);
  free(stages->why.points);
  return result == 0 ? TUNE_DONE : TUNE_FAILED;
}

int tune_calibrate(int argc, char **argv) {
  char *workloads[argc];
  struct run run = {.path = tune_table_path(), .workloads = workloads};
  for (int option; (option = getopt_long(argc, argv, "o:w:qejh", options, NULL)) != -1;) {
    switch (option) {
    case 'o':
      run.path = optarg;
      break;
    case 'w':
      workloads[run.workload_count++] = optarg;
      break;
    case 'q':
      run.quick = true;
      break;
    case 'e':
      run.explain = true;
      break;
    case 'j':
      run.json = true;
      break;
    case 'h':
      fputs(help, stdout);
      return TUNE_DONE;
    default:
      return tune_usage(NULL);
    }
  }
  if (optind < argc)
    return tune_usage("calibrate takes no argument, and '%s' is one", argv[optind]);
  int code = calibrate(&run);
  workload_free(&run.workload);
  return code;
}
