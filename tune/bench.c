/* SPDX-License-Identifier: MIT */
/* fastcopy-tune bench: copy functions side by side. */
#define _GNU_SOURCE 1 /* dladdr */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <gnu/lib-names.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decision.h"
#include "distribution.h"
#include "identity.h"
#include "lib/fastcopy.h"
#include "measure.h"
#include "output.h"
#include "scenario.h"

static const char help[] =
    "Usage: fastcopy-tune bench [OPTION]...\n"
    "Compare copy functions in one process: the C library's, libfastcopy's under the plan in force, and others.\n"
    "\n"
    "  -s, --symbol NAME            memcpy (default), memmove or mempcpy\n"
    "  -a, --against PATH[:SYMBOL]  a shared library with such a function; may be given again\n"
    "  -d, --distribution FILE      sizes drawn from FILE, size:probability,...; may be given again\n"
    "  -n, --operations N           with -d: different operations before they repeat, default 131072; few of\n"
    "                               them, 4096 say, are learnt by the branch predictor\n"
    "  -S, --sizes LIST             these sizes only: 64,4K,1M\n"
    "  -t, --seconds N              time for all rows together\n"
    "  -j, --json                   JSON instead of a table\n"
    "  -h, --help                   this text\n"
    "\n"
    "Columns: NAME_ns, nanoseconds a call (10 % quantile of many short rounds, taken in turn; in memory, the\n"
    "median); NAME_ratio, how many times as fast as the C library's; empty, a function that does nothing: the cost of "
    "the loop and call.\n"
    "Kinds: fixed, one size at changing addresses; varied, sizes from 0 up that cannot be predicted; forward,\n"
    "8 bytes stored in the source, copied, and loaded from the copy, each waiting for the one before; consumed,\n"
    "varied, half the sources just written, the copy read by the next call; read, the copy is read whole;\n"
    "overlap, varied, the regions overlap. A distribution is run in 16K buffers, larger sizes cut to that: two\n"
    "buffers for memcpy and mempcpy, one for memmove.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";

#define DISTRIBUTION_BUFFER ((size_t)16384)
#define MANY 131072 /* operations that no branch predictor learns */
#define FEW 64
#define SUBJECTS_MOST 16
#define SIZE_MOST ((size_t)1 << 29)

struct row {
  char name[64];
  char size[40];
  const char *where;
  struct band band;
  struct scenario scenario;
};

struct rows {
  struct row *rows;
  size_t count;
};

struct bench {
  const char *symbol;
  copy_function *entry;
  int for_memmove;
  int json;
  double seconds; /* 0: by the number of rows */
  size_t operations;
  struct subject subjects[SUBJECTS_MOST];
  unsigned subject_count;
};

static void *empty(void *dst, const void *src, size_t n) {
  (void)src;
  (void)n;
  return dst;
}

static struct row *add_row(struct rows *rows, const char *name, const char *size, const char *where) {
  struct row *grown = realloc(rows->rows, (rows->count + 1) * sizeof *grown);
  if (grown == NULL) {
    tune_error("not enough memory");
    exit(TUNE_FAILED);
  }
  rows->rows = grown;
  struct row *row = &grown[rows->count++];
  *row = (struct row){.where = where};
  snprintf(row->name, sizeof row->name, "%s", name);
  snprintf(row->size, sizeof row->size, "%s", size);
  return row;
}

/* Sizes low..high in a working set of which each buffer has half. */
static void add_sizes(struct rows *rows, const char *kind, const char *where, size_t low, size_t high,
                      size_t working_set, size_t operations, enum next next, enum place place) {
  char text[32], size[40];
  output_size(text, high);
  snprintf(size, sizeof size, "%s%s", low == high ? "" : "..", text);
  struct row *row = add_row(rows, kind, size, where);
  row->band = (struct band){low, high, 1};
  row->scenario = (struct scenario){
      .operations = operations, .working_set = working_set, .next = next, .place = place, .band_count = 1};
}

/* Room for a size at any offset within a page, so that no distance between the buffers is favoured. */
static size_t around(size_t size) { return 2 * (size + 4096); }

static void add_fixed(struct rows *rows, const char *where, size_t size, size_t working_set, enum next next) {
  size_t least = around(size);
  working_set = working_set < least ? least : working_set;
  /* a working set in the caches is covered, a large one sampled */
  size_t operations = 4 * working_set / (size + 1);
  operations = operations < FEW ? FEW : operations > MANY ? MANY : operations;
  const char *kind = next == NEXT_READ ? "read" : next == NEXT_FORWARD ? "forward" : "fixed";
  add_sizes(rows, kind, where, size, size, working_set, operations, next, PLACE_APART);
}

static void default_rows(struct rows *rows, const struct identity *identity, int for_memmove) {
  static const size_t l1[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192, 12288};
  static const size_t varied[] = {16, 64, 256, 1024, 4096};
  static const size_t chain[] = {8, 16, 32, 64, 128, 256};
  const size_t small = 2 * DISTRIBUTION_BUFFER;
  enum place apart = for_memmove ? PLACE_SHARED : PLACE_APART;
  for (size_t i = 0; i < sizeof l1 / sizeof *l1; i++)
    add_fixed(rows, "L1", l1[i], 0, NEXT_NOTHING);
  for (size_t i = 0; i < sizeof varied / sizeof *varied; i++)
    add_sizes(rows, "varied", "L1", 0, varied[i], small, MANY, NEXT_NOTHING, apart);
  for (size_t i = 0; i < sizeof chain / sizeof *chain; i++)
    add_fixed(rows, "L1", chain[i], 0, NEXT_FORWARD);
  for (size_t i = 1; i < 3; i++)
    add_sizes(rows, "consumed", "L1", 0, varied[i], small, MANY, NEXT_CONSUMED, PLACE_APART);
  if (for_memmove) {
    for (size_t i = 1; i < 5; i++)
      add_sizes(rows, "overlap", "L1", 0, varied[i], small, MANY, NEXT_NOTHING, PLACE_NEAR);
  }

  size_t l2 = identity->l2.bytes / 2, l3 = identity->l3.bytes / 2;
  size_t memory = 8 * identity->l3.bytes;
  memory = memory < 64 << 20 ? 64 << 20 : memory > 256 << 20 ? 256 << 20 : memory;
  add_fixed(rows, "L2", 4096, l2, NEXT_NOTHING);
  add_fixed(rows, "L2", 16384, l2, NEXT_NOTHING);
  add_fixed(rows, "L2", 65536, l2, NEXT_NOTHING);
  add_fixed(rows, "L3", 4096, l3, NEXT_NOTHING);
  add_fixed(rows, "L3", 65536, l3, NEXT_NOTHING);
  add_fixed(rows, "L3", 262144, l3, NEXT_NOTHING);
  add_fixed(rows, "memory", 64, memory, NEXT_NOTHING);
  add_fixed(rows, "memory", 4096, memory, NEXT_NOTHING);
  add_fixed(rows, "memory", 65536, memory, NEXT_NOTHING);
  add_fixed(rows, "memory", 1 << 20, memory, NEXT_NOTHING);
  add_fixed(rows, "memory", 16 << 20, memory, NEXT_NOTHING);
  add_fixed(rows, "memory", 1 << 20, memory, NEXT_READ);
  add_fixed(rows, "memory", 16 << 20, memory, NEXT_READ);
}

/* A list of sizes; each in as little memory as it needs. */
static int listed_rows(struct rows *rows, const char *list, int for_memmove) {
  enum place apart = for_memmove ? PLACE_SHARED : PLACE_APART;
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
      add_fixed(rows, "repeated", size, 0, NEXT_NOTHING);
      add_sizes(rows, "varied", "repeated", 0, size, around(size), size <= 4096 ? MANY : 1024, NEXT_NOTHING, apart);
      if (size >= 8 && size <= 4096)
        add_fixed(rows, "repeated", size, 0, NEXT_FORWARD);
      if (size > 4096)
        add_fixed(rows, "repeated", size, 0, NEXT_READ);
    }
  }
  free(copy);
  return result;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* dlsym() goes on in the libraries that the handle depends on: an answer from there would compare the C library with itself. */
static int is_of(void *symbol, const char *path) {
  Dl_info info;
  char wanted[PATH_MAX], found[PATH_MAX];
  if (dladdr(symbol, &info) == 0 || info.dli_fname == NULL || realpath(path, wanted) == NULL ||
      realpath(info.dli_fname, found) == NULL)
    return 1;
  return strcmp(wanted, found) == 0;
}

static unsigned char trial_byte(size_t at, size_t size) { return (unsigned char)(at * 7 + at / 256 + size + 1); }

/* Does a copy of `size` bytes, or a move of them by 5 either way, write them and no others? */
static int copies_right(copy_function *function, int for_memmove, size_t size, unsigned char *area) {
  enum { EDGE = 64, BY = 5, OF_SRC = 0xa5, OF_DST = 0x5a };
  size_t room = size + 2 * EDGE;
  for (int turn = 0; turn < (for_memmove ? 3 : 1); turn++) {
    unsigned char *src = area + EDGE;
    unsigned char *dst = turn == 0 ? area + room + EDGE : turn == 1 ? src + BY : src - BY;
    for (size_t i = 0; i < 2 * room; i++)
      area[i] = i < room ? OF_SRC : OF_DST;
    for (size_t i = 0; i < size; i++)
      src[i] = trial_byte(i, size);
    function(dst, src, size);
    for (size_t i = 0; i < size; i++) {
      if (dst[i] != trial_byte(i, size))
        return 0;
    }
    const unsigned char edge = turn == 0 ? OF_DST : OF_SRC;
    for (size_t i = 1; i <= EDGE - BY; i++) {
      if ((turn != 1 && *(dst - i) != edge) || (turn != 2 && dst[size + i - 1] != edge))
        return 0;
    }
  }
  return 1;
}

/*
 * Whatever the function is, it is called in a process of its own first: figures of something that does not copy would
 * mislead, and a crash would say nothing.
 */
static int try_copies(const char *path, const char *symbol, copy_function *function, int for_memmove) {
  static const size_t larger[] = {511, 4096, 5000, 70000, 300000};
  enum { SMALL = 300, MOST = 300000, ROOM = 2 * (MOST + 256) };
  size_t *size = mmap(NULL, sizeof *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned char *area = malloc(ROOM);
  pid_t pid = size == MAP_FAILED || area == NULL ? -1 : fork();
  if (pid == 0) {
    alarm(10);
    for (size_t i = 0; i < SMALL + sizeof larger / sizeof larger[0]; i++) {
      *size = i < SMALL ? i : larger[i - SMALL];
      if (!copies_right(function, for_memmove, *size, area))
        _exit(1);
    }
    _exit(0);
  }
  int status = 0, failed = -1;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    tune_error("--against: %s: %s cannot be tried: %s", path, symbol, strerror(errno));
  else if (WIFSIGNALED(status))
    tune_error("--against: %s: %s is no copy function: called for %zu bytes it %s", path, symbol, *size,
               WTERMSIG(status) == SIGALRM ? "does not return" : "crashes");
  else if (status != 0)
    tune_error("--against: %s: %s is no %s: %zu bytes are not copied right", path, symbol,
               for_memmove ? "memmove" : "copy function", *size);
  else
    failed = 0;
  if (size != MAP_FAILED)
    munmap(size, sizeof *size);
  free(area);
  return failed;
}

/* A heading: letters, digits, '_', '.' and '-'. */
static char *heading(const char *from) {
  char *text = strdup(from);
  if (text == NULL) {
    tune_error("not enough memory");
    exit(TUNE_FAILED);
  }
  for (char *c = text; *c != '\0'; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-' && *c != '.')
      *c = '_';
  }
  return text;
}

static int add_against(struct bench *bench, const char *argument) {
  char path[PATH_MAX];
  const char *symbol = bench->symbol;
  snprintf(path, sizeof path, "%s", argument);
  char *colon = strrchr(path, ':');
  if (colon != NULL && strchr(colon, '/') == NULL) {
    *colon = '\0';
    symbol = argument + (colon - path) + 1;
  }
  if (bench->subject_count == SUBJECTS_MOST - 1) {
    tune_error("--against: %s is one library too many", path);
    return -1;
  }
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    tune_error("--against: %s", dlerror());
    return -1;
  }
  copy_function *function = (copy_function *)dlsym(handle, symbol);
  if (function == NULL || (strchr(path, '/') != NULL && !is_of((void *)function, path))) {
    tune_error("--against: %s has no function %s", path, symbol);
    return -1;
  }
  if (try_copies(path, symbol, function, bench->for_memmove) != 0)
    return -1;
  const char *name = base_name(path);
  size_t length = strcspn(name, "."), copies = 1;
  char text[64];
  int own = strcmp(symbol, bench->symbol) != 0;
  snprintf(text, sizeof text, "%.*s%s%s", length < 40 ? (int)length : 40, name, own ? "." : "", own ? symbol : "");
  for (unsigned i = 0; i < bench->subject_count; i++) {
    size_t same = strlen(text);
    copies += strncmp(bench->subjects[i].name, text, same) == 0;
  }
  if (copies > 1)
    snprintf(text + strlen(text), sizeof text - strlen(text), ".%zu", copies);
  bench->subjects[bench->subject_count++] = (struct subject){.name = heading(text), .function = function};
  return 0;
}

/* The C library's own function, also where another library stands before it. */
static copy_function *of_system(const char *symbol) {
  void *libc = dlopen(LIBC_SO, RTLD_NOLOAD | RTLD_LAZY);
  return libc == NULL ? NULL : (copy_function *)dlsym(libc, symbol);
}

static void print_head(struct output *output, const struct identity *identity) {
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

/* Columns: name, size, where, then the ns of each subject, and its ratio where it is neither the system nor empty. */
static struct libscols_table *open_table(const struct output *output, const struct bench *bench) {
  struct output_column columns[3 + 2 * SUBJECTS_MOST] = {
      {"kind", OUTPUT_TEXT}, {"size", OUTPUT_TEXT}, {"where", OUTPUT_TEXT}};
  char names[2 * SUBJECTS_MOST][80];
  size_t count = 3;
  for (unsigned i = 0; i < bench->subject_count; i++) {
    for (int ratio = 0; ratio < (i == 0 || i + 1 == bench->subject_count ? 1 : 2); ratio++) {
      snprintf(names[count - 3], sizeof names[0], "%s_%s", bench->subjects[i].name, ratio ? "ratio" : "ns");
      columns[count] = (struct output_column){names[count - 3], OUTPUT_NUMBER};
      count++;
    }
  }
  return output_table(output, bench->symbol, columns, count);
}

/* ns: of each subject; 0 leaves the cell empty. ratio likewise. */
static void print_row(struct libscols_table *table, const struct bench *bench, const char *name, const char *size,
                      const char *where, const double *ns, const double *ratio) {
  struct libscols_line *line = output_line(table);
  output_text(line, 0, name);
  output_text(line, 1, size);
  output_text(line, 2, where);
  size_t column = 3;
  for (unsigned i = 0; i < bench->subject_count; i++) {
    if (ns[i] > 0)
      output_decimal(line, column, ns[i], ns[i] < 100 ? 2 : 0);
    column++;
    if (i != 0 && i + 1 != bench->subject_count) {
      if (ratio[i] > 0)
        output_decimal(line, column, ratio[i], 3);
      column++;
    }
  }
}

/* Others use memory too: its best moments are rare, and only what ran side by side had the same. */
static int in_memory(const struct row *row) { return row->scenario.working_set > 16 << 20; }

static int measure_rows(const struct bench *bench, struct rows *rows, struct libscols_table *table, int mean) {
  size_t largest = 0;
  for (size_t i = 0; i < rows->count; i++) {
    size_t size = arena_for(rows->rows[i].scenario.working_set);
    largest = size > largest ? size : largest;
  }
  struct arena arena;
  if (arena_open(&arena, largest) != 0)
    return -1;
  struct random random = {1};
  double logs[SUBJECTS_MOST] = {0}, ratio[SUBJECTS_MOST] = {0}, ns[SUBJECTS_MOST] = {0};
  double each = bench->seconds > 0 ? bench->seconds / (double)rows->count : mean ? 0.5 : 0.2;
  int result = 0;
  for (size_t i = 0; i < rows->count && result == 0; i++) {
    struct row *row = &rows->rows[i];
    struct work work;
    struct samples samples = {0};
    if (row->scenario.bands == NULL)
      row->scenario.bands = &row->band;
    result = scenario_work(&work, &row->scenario, &arena, i + 1);
    if (result == 0) {
      uint64_t end = now_ns() + (uint64_t)(each * 1e9);
      unsigned least = in_memory(row) && !(bench->seconds > 0) ? 15 : 5;
      result = measure_until(&samples, &work, bench->subjects, bench->subject_count, end, least, 100000, &random);
    }
    if (result != 0)
      tune_error("not enough memory");
    for (unsigned s = 0; s < bench->subject_count && result == 0; s++) {
      if (in_memory(row)) {
        const struct series series = {samples.ns, samples.rounds, samples.subjects, 1, 1};
        ns[s] = decision_quantile(samples.ns + s, samples.rounds, samples.subjects, 0.5);
        ratio[s] = decision_compare(&series, 1, 0, s).ratio;
      } else {
        ns[s] = samples_figure(&samples, s);
        ratio[s] = ns[s] > 0 ? ns[0] / ns[s] : 0;
      }
      logs[s] += log(ratio[s]);
    }
    if (result == 0)
      print_row(table, bench, row->name, row->size, row->where, ns, ratio);
    samples_free(&samples);
    work_free(&work);
  }
  if (result == 0 && mean && rows->count > 1) {
    for (unsigned s = 0; s < bench->subject_count; s++) {
      ns[s] = 0;
      ratio[s] = exp(logs[s] / (double)rows->count);
    }
    print_row(table, bench, "geometric mean", "", "", ns, ratio);
  }
  arena_close(&arena);
  return result;
}

static const struct option options[] = {{"symbol", required_argument, NULL, 's'},
                                        {"against", required_argument, NULL, 'a'},
                                        {"distribution", required_argument, NULL, 'd'},
                                        {"operations", required_argument, NULL, 'n'},
                                        {"sizes", required_argument, NULL, 'S'},
                                        {"seconds", required_argument, NULL, 't'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

int tune_bench(int argc, char **argv) {
  struct bench bench = {.symbol = "memcpy", .entry = fc_entry_memcpy, .operations = MANY};
  const char **against = calloc((size_t)argc, sizeof *against), **files = calloc((size_t)argc, sizeof *files);
  size_t against_count = 0, file_count = 0;
  const char *sizes = NULL;
  char *end;
  if (against == NULL || files == NULL)
    return TUNE_FAILED;
  int code = TUNE_DONE;
  for (int option; code == TUNE_DONE && (option = getopt_long(argc, argv, "s:a:d:n:S:t:jh", options, NULL)) != -1;) {
    switch (option) {
    case 's':
      bench.symbol = optarg;
      if (strcmp(optarg, "memcpy") == 0)
        bench.entry = fc_entry_memcpy;
      else if (strcmp(optarg, "memmove") == 0)
        bench.entry = fc_entry_memmove;
      else if (strcmp(optarg, "mempcpy") == 0)
        bench.entry = fc_entry_mempcpy;
      else
        code = tune_usage("--symbol is memcpy, memmove or mempcpy, not '%s'", optarg);
      bench.for_memmove = bench.entry == fc_entry_memmove;
      break;
    case 'a':
      against[against_count++] = optarg;
      break;
    case 'd':
      files[file_count++] = optarg;
      break;
    case 'n':
      bench.operations = strtoul(optarg, &end, 10);
      if (!isdigit((unsigned char)*optarg) || *end != '\0' || bench.operations < 1 || bench.operations > 1 << 24)
        code = tune_usage("--operations is a number from 1 to %d, not '%s'", 1 << 24, optarg);
      break;
    case 'S':
      sizes = optarg;
      break;
    case 't':
      bench.seconds = strtod(optarg, &end);
      if (end == optarg || *end != '\0' || !(bench.seconds > 0 && bench.seconds <= 86400))
        code = tune_usage("--seconds is a number above 0, not '%s'", optarg);
      break;
    case 'j':
      bench.json = 1;
      break;
    case 'h':
      fputs(help, stdout);
      free(against);
      free(files);
      return TUNE_DONE;
    default:
      code = tune_usage(NULL);
    }
  }
  if (code == TUNE_DONE && optind < argc)
    code = tune_usage("bench takes no argument, and '%s' is one", argv[optind]);
  if (code == TUNE_DONE && sizes != NULL && file_count != 0)
    code = tune_usage("--sizes and --distribution exclude each other");

  struct identity identity;
  struct rows rows = {0};
  struct distribution *distributions = calloc(file_count + 1, sizeof *distributions);
  copy_function *system_function = NULL;
  if (code == TUNE_DONE) {
    identity_read(&identity);
    system_function = of_system(bench.symbol);
    if (system_function == NULL || distributions == NULL) {
      tune_error("the C library's %s was not found", bench.symbol);
      code = TUNE_FAILED;
    }
  }
  if (code == TUNE_DONE) {
    bench.subjects[bench.subject_count++] = (struct subject){.name = "system", .function = system_function};
    bench.subjects[bench.subject_count++] = (struct subject){.name = "fastcopy", .function = bench.entry};
    for (size_t i = 0; i < against_count && code == TUNE_DONE; i++)
      code = add_against(&bench, against[i]) == 0 ? TUNE_DONE : TUNE_FAILED;
    bench.subjects[bench.subject_count++] = (struct subject){.name = "empty", .function = empty};
  }
  for (size_t i = 0; i < file_count && code == TUNE_DONE; i++) {
    if (distribution_read(&distributions[i], files[i]) != 0) {
      code = TUNE_FAILED;
      break;
    }
    struct row *row = add_row(&rows, base_name(files[i]), "", "L1");
    row->scenario = (struct scenario){
        .bands = distributions[i].bands,
        .band_count = distributions[i].count,
        .operations = bench.operations,
        .working_set = bench.for_memmove ? DISTRIBUTION_BUFFER : 2 * DISTRIBUTION_BUFFER,
        .place = bench.for_memmove ? PLACE_SHARED : PLACE_APART,
    };
  }
  if (code == TUNE_DONE && sizes != NULL)
    code = listed_rows(&rows, sizes, bench.for_memmove) == 0 ? TUNE_DONE : TUNE_USAGE;
  if (code == TUNE_DONE && rows.count == 0)
    default_rows(&rows, &identity, bench.for_memmove);

  if (code == TUNE_DONE) {
    struct output output;
    output_begin(&output, bench.json);
    print_head(&output, &identity);
    struct libscols_table *table = open_table(&output, &bench);
    code = measure_rows(&bench, &rows, table, file_count != 0) == 0 ? TUNE_DONE : TUNE_FAILED;
    output_rows(&output, table);
    output_end(&output);
  }
  for (size_t i = 0; distributions != NULL && i < file_count; i++)
    distribution_free(&distributions[i]);
  for (unsigned i = 2; i + 1 < bench.subject_count; i++)
    free((char *)bench.subjects[i].name);
  free(distributions);
  free(rows.rows);
  free(against);
  free(files);
  return code;
}
