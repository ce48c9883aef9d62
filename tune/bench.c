/* SPDX-License-Identifier: MIT */
/* fastcopy-tune bench: copy functions side by side. */
#include <ctype.h>
#include <dlfcn.h>
#include <getopt.h>
#include <gnu/lib-names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/straight.h"
#include "bench.h"
#include "chunks.h"
#include "decision.h"

static const char help[] =
    "Usage: fastcopy-tune bench [OPTION]...\n"
    "Compare copy functions in one process: the C library's, libfastcopy's under the plan in force, and others.\n"
    "\n"
    "  -s, --symbol NAME            memcpy (default), memmove or mempcpy\n"
    "  -a, --against PATH[:SYMBOL]  a shared library with such a function; may be given again\n"
    "  -u, --suite NAME             which rows, see below; every suite but default and chunks ends with a summary\n"
    "  -d, --distribution FILE      sizes drawn from FILE, size:probability,...; may be given again. With a suite:\n"
    "                               its distributions; a file named memcpy... or memmove... is for that symbol alone\n"
    "  -n, --operations N           with -d and no suite: different operations before they repeat, default 131072;\n"
    "                               few of them, 4096 say, are learnt by the branch predictor\n"
    "  -S, --sizes LIST             these sizes only: 64,4K,1M\n"
    "  -t, --seconds N              time for all rows together\n"
    "  -v, --verbose                the rows, too, of a suite that shows its summary alone\n"
    "  -j, --json                   JSON instead of tables, always with the rows\n"
    "  -h, --help                   this text\n"
    "\n"
    "Columns: NAME_ns, nanoseconds a call (10 % quantile of many short rounds, taken in turn; in memory, the\n"
    "median); NAME_ratio, how many times as fast as the C library's; ceiling, from 256 bytes the best of some "
    "straight\n"
    "load and store loops that ask nothing about size or overlap; bytes, a byte loop, which is compared with where it\n"
    "stands; empty, a function that does nothing: the cost of the loop and call.\n"
    "Kinds: fixed, one size at changing addresses; varied, sizes from 0 up that cannot be predicted; forward,\n"
    "8 bytes stored in the source, copied, and loaded from the copy, each waiting for the one before (4 bytes, or "
    "one,\n"
    "where fewer are copied); consumed, varied, half the sources just written, both ends of the copy read into the "
    "next\n"
    "call's address; read, the copy is read whole; overlap, the regions overlap, by any distance or with the "
    "destination\n"
    "so many bytes up or down; page offset, (destination - source) mod 4096, no multiple of 64; two threads, each "
    "copies\n"
    "in buffers of its own. A distribution is run in 16K buffers, larger sizes cut to that: two buffers for memcpy "
    "and\n"
    "mempcpy, one for memmove. Without -d a suite takes small copies as programs were seen to make them.\n"
    "Summary: over the rows of a group, the geometric mean and the least of fastcopy's ratios, where the least is, "
    "and\n"
    "the mean that the ceiling would have. The suite goals is of memcpy and memmove, unless --symbol chooses.\n"
    "\n"
    "Suites:\n";
static const char help_end[] = "\n"
                               "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";

#define MANY 131072
#define CEILING_SHARE 0.2 /* of the time of a row, to find its ceiling */

static void *empty(void *dst, const void *src, size_t n) {
  (void)src;
  (void)n;
  return dst;
}

void *bench_byte_loop(void *dst, const void *src, size_t n) {
  unsigned char *to = dst;
  const unsigned char *from = src;
  /* the empty asm: no compiler makes vectors or a call of memmove of it */
  if ((uintptr_t)to - (uintptr_t)from >= n) {
    for (size_t i = 0; i < n; i++) {
      unsigned char byte = from[i];
      __asm__("" : "+r"(byte));
      to[i] = byte;
    }
  } else {
    for (size_t i = n; i-- != 0;) {
      unsigned char byte = from[i];
      __asm__("" : "+r"(byte));
      to[i] = byte;
    }
  }
  return dst;
}

/* Is it measured in this row? */
static bool takes_part(const struct bench *bench, const struct bench_row *row, unsigned subject) {
  if (subject == bench_last(bench, BENCH_BYTES))
    return row->bytes;
  if (subject == bench_last(bench, BENCH_CEILING)) {
    size_t least = SIZE_MAX;
    const enum place place = row->scenario.place;
    for (size_t i = 0; i < row->scenario.band_count; i++) {
      size_t low = row->scenario.bands != NULL ? row->scenario.bands[i].low : row->band.low;
      least = low < least ? low : least;
    }
    return least >= FC_STRAIGHT_LEAST && (place == PLACE_APART || place == PLACE_SKEWED || place == PLACE_TIGHT);
  }
  return true;
}

/* The C library's own function, also where another library stands before it. */
static copy_function *of_system(const char *symbol) {
  void *libc = dlopen(LIBC_SO, RTLD_NOLOAD | RTLD_LAZY);
  return libc == NULL ? NULL : (copy_function *)dlsym(libc, symbol);
}

static int add_subject(struct bench *bench, const char *name, copy_function *const functions[BENCH_SYMBOLS]) {
  struct bench_subject *subject = &bench->subjects[bench->subject_count];
  for (unsigned i = 0; i < BENCH_SYMBOLS; i++)
    subject->functions[i] = functions[i];
  subject->name = strdup(name);
  bench->subject_count += subject->name != NULL;
  return subject->name != NULL ? 0 : -1;
}

static int add_subjects(struct bench *bench, const char *const against[], size_t against_count) {
  copy_function *of_libc[BENCH_SYMBOLS];
  for (unsigned i = 0; i < BENCH_SYMBOLS; i++) {
    of_libc[i] = of_system(bench_symbol_names[i]);
    if (of_libc[i] == NULL) {
      tune_error("the C library's %s was not found", bench_symbol_names[i]);
      return -1;
    }
  }
  static copy_function *const exported[BENCH_SYMBOLS] = {fc_entry_memcpy, fc_entry_memmove, fc_entry_mempcpy};
  static copy_function *const bytes[BENCH_SYMBOLS] = {bench_byte_loop, bench_byte_loop, bench_byte_loop};
  static copy_function *const found_later[BENCH_SYMBOLS] = {empty, empty, empty};
  static copy_function *const nothing[BENCH_SYMBOLS] = {empty, empty, empty};
  int result = add_subject(bench, "system", of_libc) | add_subject(bench, "fastcopy", exported);
  for (size_t i = 0; i < against_count && result == 0; i++) {
    if (bench->subject_count == BENCH_SUBJECTS - BENCH_LAST) {
      tune_error("--against: %s is one library too many", against[i]);
      return -1;
    }
    if (bench_against(&bench->subjects[bench->subject_count], against[i], bench->symbols, bench->subjects,
                      bench->subject_count) != 0)
      return -1;
    bench->subject_count++;
  }
  result |= add_subject(bench, "bytes", bytes) | add_subject(bench, "ceiling", found_later) |
            add_subject(bench, "empty", nothing);
  if (result != 0)
    tune_error("not enough memory");
  return result;
}

/* Others use memory too: its best moments are rare, and only what ran side by side had the same. */
static bool in_memory(const struct bench_row *row) { return row->scenario.working_set > 16 << 20; }

static double figure(const struct bench_row *row, const struct samples *samples, unsigned subject) {
  return in_memory(row) ? decision_quantile(samples->ns + subject, samples->rounds, samples->subjects, 0.5)
                        : samples_figure(samples, subject);
}

/* The straight loop that is the fastest at this work. -1 when memory is short. */
static int find_ceiling(copy_function **best, const struct bench_row *row, struct work *work, double seconds,
                        struct random *random) {
  fc_copy *loops[FC_STRAIGHT_MOST];
  const unsigned count = fc_straight_loops(loops);
  struct subject subjects[FC_STRAIGHT_MOST] = {{0}};
  for (unsigned i = 0; i < count; i++)
    subjects[i].function = loops[i];
  struct samples samples = {0};
  int result = measure_until(&samples, work, subjects, count, now_ns() + (uint64_t)(seconds * 1e9), 2, 100000, random);
  unsigned first = 0;
  for (unsigned i = 1; i < count && result == 0; i++)
    first = figure(row, &samples, i) < figure(row, &samples, first) ? i : first;
  *best = loops[first];
  samples_free(&samples);
  return result;
}

static int measure_row(const struct bench *bench, struct bench_row *row, const struct arena *arena, uint64_t seed,
                       double seconds, struct random *random, struct bench_result *result) {
  struct work works[2] = {{0}};
  struct samples samples = {0};
  const unsigned count = bench->subject_count;
  const struct arena part = {arena->memory, arena->size / row->threads};
  const struct arena other = {arena->memory + part.size, part.size};
  struct subject subjects[BENCH_SUBJECTS];
  unsigned char active[BENCH_SUBJECTS];
  if (row->scenario.bands == NULL)
    row->scenario.bands = &row->band;
  int code = scenario_work(&works[0], &row->scenario, &part, seed);
  if (code == 0 && row->threads == 2)
    code = scenario_work(&works[1], &row->scenario, &other, seed);
  for (unsigned i = 0; i < count; i++) {
    subjects[i] =
        (struct subject){.name = bench->subjects[i].name, .function = bench->subjects[i].functions[row->symbol]};
    active[i] = takes_part(bench, row, i);
  }
  const unsigned ceiling = bench_last(bench, BENCH_CEILING);
  if (code == 0 && active[ceiling]) {
    code = find_ceiling(&subjects[ceiling].function, row, &works[0], CEILING_SHARE * seconds, random);
    seconds -= CEILING_SHARE * seconds;
    works[0].turn = 0;
  }
  uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
  unsigned least = !in_memory(row) ? 5 : bench->seconds > 0 ? 3 : 15;
  if (code == 0 && row->threads == 2)
    code = bench_threads(&samples, works, subjects, count, active, end, least, random);
  while (code == 0 && row->threads == 1 && (samples.rounds < least || now_ns() < end))
    code = measure_round(&samples, &works[0], subjects, count, active, random);
  if (code != 0)
    tune_error("not enough memory");
  const unsigned reference = row->bytes ? bench_last(bench, BENCH_BYTES) : BENCH_SYSTEM;
  for (unsigned i = 0; i < count && code == 0; i++) {
    const struct series series = {samples.ns, samples.rounds, samples.subjects, 1, 1};
    result->ns[i] = active[i] ? figure(row, &samples, i) : 0;
    result->ratio[i] = 0;
    if (active[i] && in_memory(row))
      result->ratio[i] = decision_compare(&series, 1, reference, i).ratio;
    else if (active[i] && result->ns[i] > 0)
      result->ratio[i] = figure(row, &samples, reference) / result->ns[i];
  }
  samples_free(&samples);
  work_free(&works[0]);
  work_free(&works[1]);
  return code;
}

/* results: one a row. */
static int measure_rows(const struct bench *bench, struct bench_rows *rows, struct bench_result results[]) {
  size_t largest = 0;
  double total = 0;
  for (size_t i = 0; i < rows->count; i++) {
    /* the halves for two threads begin with a page */
    size_t size = ((arena_for(rows->rows[i].scenario.working_set) | 4095) + 1) * rows->rows[i].threads;
    largest = size > largest ? size : largest;
    total += rows->rows[i].seconds;
  }
  struct arena arena;
  if (arena_open(&arena, largest) != 0)
    return -1;
  struct random random = {1};
  int result = 0;
  for (size_t i = 0; i < rows->count && result == 0; i++) {
    double seconds = rows->rows[i].seconds * (bench->seconds > 0 ? bench->seconds / total : 1);
    result = measure_row(bench, &rows->rows[i], &arena, i + 1, seconds, &random, &results[i]);
  }
  arena_close(&arena);
  return result;
}

static int run(struct bench *bench, const struct identity *identity, struct bench_rows *rows) {
  struct bench_result *results = calloc(rows->count, sizeof *results);
  if (results == NULL) {
    tune_error("not enough memory");
    return TUNE_FAILED;
  }
  for (size_t i = 0; i < rows->count; i++) {
    for (unsigned s = 0; s < bench->subject_count; s++)
      bench->shown[s] |= takes_part(bench, &rows->rows[i], s);
  }
  struct output output;
  output_begin(&output, bench->json);
  bench_print_head(&output, identity);
  int code = measure_rows(bench, rows, results) == 0 ? TUNE_DONE : TUNE_FAILED;
  const bool summary = bench_lead(bench) != 0;
  if (code == TUNE_DONE && (bench->json || bench->verbose || !summary || !bench->suite->summary)) {
    struct libscols_table *table = bench_open_table(&output, bench);
    for (size_t i = 0; i < rows->count; i++)
      bench_print_row(table, bench, &rows->rows[i], &results[i]);
    if (bench->mean && rows->count > 1)
      bench_print_mean(table, bench, rows, results);
    output_rows(&output, table);
  }
  if (code == TUNE_DONE && summary)
    bench_print_summary(&output, bench, rows, results);
  output_end(&output);
  free(results);
  return code;
}

static const struct bench_suite *find_suite(const char *name) {
  char names[256] = "";
  for (size_t i = 0; i < bench_suite_count; i++) {
    if (strcmp(name, bench_suites[i].name) == 0)
      return &bench_suites[i];
    size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%s%s",
             at == 0                      ? ""
             : i + 1 == bench_suite_count ? " or "
                                          : ", ",
             bench_suites[i].name);
  }
  tune_error("--suite is %s, not '%s'", names, name);
  return NULL;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* Which symbols a file of sizes is for: its name may say. */
static unsigned symbols_of(const char *name) {
  if (strncasecmp(name, "memmove", 7) == 0)
    return BENCH_BIT(BENCH_MEMMOVE);
  if (strncasecmp(name, "memcpy", 6) == 0)
    return BENCH_BIT(BENCH_MEMCPY) | BENCH_BIT(BENCH_MEMPCPY);
  return BENCH_BIT(BENCH_MEMCPY) | BENCH_BIT(BENCH_MEMMOVE) | BENCH_BIT(BENCH_MEMPCPY);
}

static void print_help(void) {
  fputs(help, stdout);
  for (size_t i = 0; i < bench_suite_count; i++)
    printf("  %-10s %s\n", bench_suites[i].name, bench_suites[i].what);
  fputs(help_end, stdout);
}

static const struct option options[] = {{"symbol", required_argument, NULL, 's'},
                                        {"against", required_argument, NULL, 'a'},
                                        {"suite", required_argument, NULL, 'u'},
                                        {"distribution", required_argument, NULL, 'd'},
                                        {"operations", required_argument, NULL, 'n'},
                                        {"sizes", required_argument, NULL, 'S'},
                                        {"seconds", required_argument, NULL, 't'},
                                        {"verbose", no_argument, NULL, 'v'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

/* What the options say beside `bench`. */
struct wish {
  const char **against, **files; /* malloc'ed */
  size_t against_count, file_count;
  const char *sizes;
  size_t operations; /* 0: not said */
  unsigned symbol;   /* set of one; 0: not said */
  bool help;
};

static int read_options(struct bench *bench, struct wish *wish, int argc, char **argv) {
  char *end;
  for (int option; (option = getopt_long(argc, argv, "s:a:u:d:n:S:t:vjh", options, NULL)) != -1;) {
    switch (option) {
    case 's':
      wish->symbol = 0;
      for (unsigned i = 0; i < BENCH_SYMBOLS; i++)
        wish->symbol |= strcmp(optarg, bench_symbol_names[i]) == 0 ? BENCH_BIT(i) : 0;
      if (wish->symbol == 0)
        return tune_usage("--symbol is memcpy, memmove or mempcpy, not '%s'", optarg);
      break;
    case 'a':
      wish->against[wish->against_count++] = optarg;
      break;
    case 'u':
      bench->suite = find_suite(optarg);
      if (bench->suite == NULL)
        return TUNE_USAGE;
      break;
    case 'd':
      wish->files[wish->file_count++] = optarg;
      break;
    case 'n':
      wish->operations = strtoul(optarg, &end, 10);
      if (!isdigit((unsigned char)*optarg) || *end != '\0' || wish->operations < 1 || wish->operations > 1 << 24)
        return tune_usage("--operations is a number from 1 to %d, not '%s'", 1 << 24, optarg);
      break;
    case 'S':
      wish->sizes = optarg;
      break;
    case 't':
      bench->seconds = strtod(optarg, &end);
      if (end == optarg || *end != '\0' || !(bench->seconds > 0 && bench->seconds <= 86400))
        return tune_usage("--seconds is a number above 0, not '%s'", optarg);
      break;
    case 'v':
      bench->verbose = true;
      break;
    case 'j':
      bench->json = true;
      break;
    case 'h':
      wish->help = true;
      return TUNE_DONE;
    default:
      return tune_usage(NULL);
    }
  }
  if (optind < argc)
    return tune_usage("bench takes no argument, and '%s' is one", argv[optind]);
  if (wish->sizes != NULL && wish->file_count != 0)
    return tune_usage("--sizes and --distribution exclude each other");
  if (wish->sizes != NULL && bench->suite != NULL)
    return tune_usage("--sizes and --suite exclude each other");
  if (wish->file_count != 0 && bench->suite != NULL && bench->suite->add == NULL)
    return tune_usage("--distribution is not for the suite %s", bench->suite->name);
  if (wish->operations != 0 && bench->suite != NULL)
    return tune_usage("--operations and --suite exclude each other");
  if (bench->suite != NULL && wish->symbol != 0 && (bench->suite->symbols & wish->symbol) == 0)
    return tune_usage("the suite %s has no rows of that --symbol", bench->suite->name);
  return TUNE_DONE;
}

static int read_distributions(struct bench_distribution *distributions, const struct wish *wish) {
  for (size_t i = 0; i < wish->file_count; i++) {
    distributions[i].name = base_name(wish->files[i]);
    distributions[i].symbols = symbols_of(distributions[i].name);
    if (distribution_read(&distributions[i].sizes, wish->files[i]) != 0)
      return TUNE_FAILED;
  }
  return TUNE_DONE;
}

static int add_rows(struct bench *bench, const struct wish *wish, const struct bench_machine *machine,
                    struct bench_rows *rows) {
  for (enum bench_symbol symbol = 0; symbol < BENCH_SYMBOLS; symbol++) {
    if ((bench->symbols & BENCH_BIT(symbol)) == 0)
      continue;
    if (bench->suite != NULL) {
      bench->suite->add(rows, machine, symbol);
    } else if (wish->sizes != NULL) {
      if (bench_listed_rows(rows, wish->sizes, symbol) != 0)
        return TUNE_USAGE;
    } else {
      for (size_t i = 0; i < machine->distribution_count; i++)
        bench_distribution_row(rows, &machine->distributions[i], wish->operations != 0 ? wish->operations : MANY,
                               symbol);
    }
  }
  if (rows->count == 0) {
    tune_error("there is nothing to measure here");
    return TUNE_FAILED;
  }
  return TUNE_DONE;
}

int tune_bench(int argc, char **argv) {
  struct bench bench = {0};
  struct wish wish = {.against = calloc((size_t)argc, sizeof *wish.against),
                      .files = calloc((size_t)argc, sizeof *wish.files)};
  struct bench_distribution *distributions = calloc((size_t)argc, sizeof *distributions);
  struct bench_rows rows = {0};
  int code = TUNE_FAILED;
  if (wish.against == NULL || wish.files == NULL || distributions == NULL)
    tune_error("not enough memory");
  else
    code = read_options(&bench, &wish, argc, argv);
  if (code == TUNE_DONE && wish.help) {
    print_help();
  } else if (code == TUNE_DONE) {
    struct identity identity;
    identity_read(&identity);
    const struct bench_machine machine = {.l2 = identity.l2.bytes,
                                          .l3 = identity.l3.bytes,
                                          .distributions = distributions,
                                          .distribution_count = wish.file_count};
    bench.mean = bench.suite == NULL && wish.file_count != 0;
    if (bench.suite == NULL && wish.file_count == 0 && wish.sizes == NULL)
      bench.suite = bench_suites;
    bench.symbols = wish.symbol != 0 ? wish.symbol : bench.suite != NULL ? bench.suite->usual : BENCH_BIT(BENCH_MEMCPY);
    code = read_distributions(distributions, &wish);
    const bool own_table = bench.suite != NULL && bench.suite->add == NULL;
    if (code == TUNE_DONE && !own_table)
      code = add_rows(&bench, &wish, &machine, &rows);
    if (code == TUNE_DONE)
      code = add_subjects(&bench, wish.against, wish.against_count) == 0 ? TUNE_DONE : TUNE_FAILED;
    if (code == TUNE_DONE)
      code = own_table ? bench_chunks(&bench, &identity) : run(&bench, &identity, &rows);
  }
  for (size_t i = 0; distributions != NULL && i < wish.file_count; i++)
    distribution_free(&distributions[i].sizes);
  for (unsigned i = 0; i < bench.subject_count; i++)
    free(bench.subjects[i].name);
  free(distributions);
  free(rows.rows);
  free(wish.against);
  free(wish.files);
  return code;
}
