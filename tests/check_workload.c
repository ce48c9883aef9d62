/* SPDX-License-Identifier: MIT */
/*
 * Workload files: good and bad ones, what calibrate makes of them, and files that nobody wrote. Built with sanitizers,
 * and without the harness, whose memcpy is the library's.
 *
 * usage: check_workload [SEED [CASES]]
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tune/tune.h"
#include "tune/workload.h"

static unsigned failures, lines_said;
static char said[1024];

/* In place of the program's. */
void tune_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(said, sizeof said, format, args);
  va_end(args);
  lines_said++;
}

static void fail(const char *what, const char *text) {
  printf("FAIL %s\n%s\n", what, text);
  failures++;
}

static int parse(struct workload_file *file, const char *text) {
  said[0] = '\0';
  lines_said = 0;
  return workload_file_parse(file, text, "w");
}

#define FIRST "fastcopy-workload 1\n"

static const char *const good[] = {
    FIRST "memcpy 8 1",
    FIRST "memcpy 8 1\n",
    "# a comment\n\n  \t\n" FIRST "# another\n  memcpy\t8\t1  \n",
    "fastcopy-workload 1\r\nmemcpy 8 1\r\n",
    FIRST "command sort --parallel=1 a b\nmemmove 0 7 same=7\n",
    FIRST "command\nmemcpy 8 1\n",
    FIRST "memcpy 65-79 10 bytes=700 same=10 steady=10 again=10 used=10 overlap=10 aligned=10\n",
    FIRST "memcpy 0-1024G 1\nmemcpy 1M 1000000000000000\n",
    FIRST "memcpy 4K-8K 3\nmemcpy 4096-8191 3\nmemcpy 1G 0\n",
};

static const struct {
  const char *text, *message; /* how it begins */
} bad[] = {
    {"", "w:1:1: not a workload"},
    {"\n\n", "w:2:1: not a workload"},
    {"# only\n", "w:1:1: not a workload"},
    {"memcpy 8 1\n", "w:1:1: not a workload"},
    {"fastcopy-workload\n", "w:1:1: only version 1"},
    {"fastcopy-workload 2\nmemcpy 8 1\n", "w:1:1: only version 1"},
    {"fastcopy-workload 11\nmemcpy 8 1\n", "w:1:1: only version 1"},
    {"fastcopy-workload 1 x\nmemcpy 8 1\n", "w:1:1: only version 1"},
    {"\x89"
     "FCT\r\n\x1a\n",
     "w:1:1: not a workload"},
    {FIRST, "w:1:1: there are no calls"},
    {FIRST "memcpy 8 0\n", "w:2:1: there are no calls"},
    {FIRST "memset 8 1\n", "w:2:1: memcpy, memmove, command or # was expected"},
    {FIRST "memcpyy 8 1\n", "w:2:1: memcpy, memmove"},
    {FIRST "memcpy\n", "w:2:7: a size"},
    {FIRST "memcpy x 1\n", "w:2:8: a size"},
    {FIRST "memcpy -8 1\n", "w:2:8: a size"},
    {FIRST "memcpy 8- 1\n", "w:2:8: a size"},
    {FIRST "memcpy 8-9-10 1\n", "w:2:8: a size"},
    {FIRST "memcpy 8k 1\n", "w:2:8: a size"},
    {FIRST "memcpy 8KK 1\n", "w:2:8: a size"},
    {FIRST "memcpy 1025G 1\n", "w:2:8: a size"},
    {FIRST "memcpy 99999999999999999999999 1\n", "w:2:8: a size"},
    {FIRST "memcpy 18446744073709551616 1\n", "w:2:8: a size"},
    {FIRST "memcpy 9-8 1\n", "w:2:8: the second size is smaller"},
    {FIRST "memcpy 8\n", "w:2:9: the number of calls"},
    {FIRST "memcpy 8 1.5\n", "w:2:10: the number of calls"},
    {FIRST "memcpy 8 -1\n", "w:2:10: the number of calls"},
    {FIRST "memcpy 8 1000000000000001\n", "w:2:10: the number of calls"},
    {FIRST "memcpy 8 10 same\n", "w:2:13: same=, steady=,"},
    {FIRST "memcpy 8 10 =5\n", "w:2:13: same=, steady=,"},
    {FIRST "memcpy 8 10 calls=5\n", "w:2:13: same=, steady=,"},
    {FIRST "memcpy 8 10 sames=5\n", "w:2:13: same=, steady=,"},
    {FIRST "memcpy 8 10 same=\n", "w:2:18: a whole number"},
    {FIRST "memcpy 8 10 same=5x\n", "w:2:18: a whole number"},
    {FIRST "memcpy 8 10 same=99999999999999999999\n", "w:2:18: a whole number"},
    {FIRST "memcpy 8 10 same=11\n", "w:2:18: this is more than the calls"},
    {FIRST "memcpy 8 10 same=1 same=1\n", "w:2:20: this stands twice"},
    {FIRST "memcpy 65-79 10 bytes=600\n", "w:2:23: so many bytes"},
    {FIRST "memcpy 65-79 10 bytes=800\n", "w:2:23: so many bytes"},
    {FIRST "command a\ncommand b\nmemcpy 8 1\n", "w:3:1: this is the second command"},
};

static bool same_lines(const struct workload_file *a, const struct workload_file *b) {
  if (a->count != b->count || (a->command == NULL) != (b->command == NULL) ||
      (a->command != NULL && strcmp(a->command, b->command) != 0))
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct workload_line *x = &a->lines[i], *y = &b->lines[i];
    if (x->function != y->function || x->low != y->low || x->high != y->high ||
        memcmp(x->counts, y->counts, sizeof x->counts) != 0)
      return false;
  }
  return true;
}

/* Written and read again it is the same; and calibrate can weigh by it. */
static void follow(const struct workload_file *file, const char *from) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  struct workload_file again;
  workload_file_write(file, stream);
  if (fclose(stream) != 0)
    abort();
  if (parse(&again, text) != 0)
    fail(said, text);
  else if (!same_lines(file, &again))
    fail("it is another after a round trip", from);
  workload_file_free(&again);
  free(text);

  struct workload workload;
  double sums[2] = {0};
  if (workload_make(&workload, file, 1) != 0)
    abort();
  for (size_t i = 0; i < workload.count; i++) {
    const struct workload_row *row = &workload.rows[i];
    double share = 0;
    if (!(row->for_memcpy >= 0 && row->for_memmove >= 0) || row->scenario.band_count == 0)
      fail("a row without sizes or weight", from);
    for (size_t j = 0; j < row->scenario.band_count; j++) {
      const struct band *band = &row->scenario.bands[j];
      if (band->low > band->high || band->high > 65536 || !(band->share >= 0))
        fail("a band that is none", from);
      share += band->share;
    }
    if (!(share > 0) || !isfinite(share))
      fail("sizes without a share", from);
    sums[0] += row->for_memcpy;
    sums[1] += row->for_memmove;
  }
  if (fabs(sums[0] - 1) > 1e-9 || fabs(sums[1] - 1) > 1e-9)
    fail("the weights are not 1 together", from);
  workload_free(&workload);
}

static void check_texts(void) {
  struct workload_file file;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    if (parse(&file, good[i]) != 0)
      fail(said, good[i]);
    else
      follow(&file, good[i]);
    workload_file_free(&file);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    int result = parse(&file, bad[i].text);
    if (result == 0 || lines_said != 1 || strncmp(said, bad[i].message, strlen(bad[i].message)) != 0) {
      fail(result == 0 ? "taken for a workload" : said, bad[i].text);
      printf("  expected: %s\n", bad[i].message);
    }
    workload_file_free(&file);
  }
  /* lines without end */
  size_t size = sizeof FIRST;
  char *text = malloc(size + 5000 * 12);
  if (text == NULL)
    abort();
  memcpy(text, FIRST, size);
  for (unsigned i = 0; i < 5000; i++)
    size += (size_t)sprintf(text + size - 1, "memcpy 8 1\n");
  if (parse(&file, text) == 0 || strncmp(said, "w:4098:1: there are more than 4096 lines", 40) != 0)
    fail(said, "5000 lines");
  free(text);
  if (workload_file_read(&file, "/nonexistent/w") == 0 || workload_file_read(&file, "/") == 0)
    fail("read", "what is no file");
}

static const struct workload_row *find_row(const struct workload *workload, enum next next, enum place place) {
  for (size_t i = 0; i < workload->count; i++) {
    if (workload->rows[i].scenario.next == next && workload->rows[i].scenario.place == place)
      return &workload->rows[i];
  }
  return NULL;
}

static void make(struct workload *workload, const char *text) {
  struct workload_file file;
  if (parse(&file, text) != 0)
    fail(said, text);
  if (workload_make(workload, &file, 1) != 0)
    abort();
  workload_file_free(&file);
}

/* What a workload is meant to lead to. */
static void check_rows(void) {
  struct workload workload;
  /* one fixed size between a store and a load */
  for (size_t n = 1; n <= 600; n = n < 64 ? n + 1 : n + 67) {
    char text[128];
    snprintf(text, sizeof text, FIRST "memcpy %zu 1000000 same=999999 steady=999999 again=999999\n", n);
    make(&workload, text);
    const struct workload_row *row = find_row(&workload, NEXT_FORWARD, PLACE_APART);
    if (row == NULL || row->for_memcpy < 0.99 || row->scenario.band_count != 1 || row->scenario.bands[0].low != n ||
        row->scenario.bands[0].high != n)
      fail("not stored, copied and loaded", text);
    workload_free(&workload);
  }
  /* the size is found within the line when all calls have it */
  make(&workload, FIRST "memcpy 96-111 1000 bytes=100000 same=999 again=999\n");
  if (workload.count != 1 || workload.rows[0].scenario.bands[0].low != 100 ||
      workload.rows[0].scenario.bands[0].high != 100)
    fail("the size is not found", "100 of 96-111");
  workload_free(&workload);

  /* a fifth is taken as read at once where nothing is recorded, and what is recorded counts */
  make(&workload, FIRST "memcpy 16 1000\n");
  const struct workload_row *row = find_row(&workload, NEXT_CONSUMED, PLACE_APART);
  if (row == NULL || fabs(row->for_memcpy - 0.16) > 0.001)
    fail("not a fifth is read at once", "memcpy 16");
  workload_free(&workload);
  make(&workload, FIRST "memcpy 16 1000 used=700\n");
  row = find_row(&workload, NEXT_CONSUMED, PLACE_APART);
  if (row == NULL || fabs(row->for_memcpy - 0.7) > 0.001)
    fail("not seven tenths are read at once", "memcpy 16 used");
  workload_free(&workload);

  make(&workload, FIRST "memmove 1024-4095 1000 overlap=1000\n");
  row = find_row(&workload, NEXT_NOTHING, PLACE_NEAR);
  if (row == NULL || workload.count != 1 || row->for_memmove != 1 || row->for_memcpy != 1)
    fail("not overlapping", "memmove 1K-4K overlap");
  workload_free(&workload);

  /* a call counts as much as 256 bytes */
  make(&workload, FIRST "memcpy 0 1700\nmemcpy 4096 100\n");
  double blocks = 0;
  for (size_t i = 0; i < workload.count; i++)
    blocks += workload.rows[i].scenario.bands[0].low == 4096 ? workload.rows[i].for_memcpy : 0;
  if (fabs(blocks - 0.5) > 0.001)
    fail("blocks are not half of the cost", "memcpy 0 and 4096");
  workload_free(&workload);
}

static void check_builtins(void) {
  for (size_t i = 0; i < workload_builtin_count; i++) {
    struct workload_file file;
    if (parse(&file, workload_builtins[i].text) != 0 || file.command == NULL)
      fail(said, workload_builtins[i].name);
    else
      follow(&file, workload_builtins[i].name);
    workload_file_free(&file);
  }
  struct workload_file *files;
  struct workload workload;
  size_t count;
  if (workload_builtin_count < 10 || workload_load(&files, &count, NULL, 0) != 0 ||
      workload_make(&workload, files, count) != 0) {
    fail("not built in", "workloads");
    return;
  }
  /* more of them, and a calibration takes too long */
  if (workload.count < 8 || workload.count > 14)
    fail("too few rows or too many", "built-in");
  workload_free(&workload);
  workload_unload(files, count);
}

static uint64_t state;

static size_t below(size_t bound) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (size_t)((z ^ z >> 31) % bound);
}

/* Good texts, damaged; in a block without a byte to spare. */
static void fuzz(unsigned long cases) {
  static const char *const words[] = {"memcpy ",  "memmove ", "command ", " same=", " bytes=", " again=", "-",
                                      "K",        "1024G",    "0",        "\n",     " ",       "#",       FIRST,
                                      "99999999", "1",        "\r",       "\t",     "=",       "\x80\xff"};
  unsigned long taken = 0;
  for (unsigned long i = 0; i < cases; i++) {
    char text[4096];
    size_t size = 0;
    if (below(8) != 0)
      size = (size_t)snprintf(text, 2048, "%s", good[below(sizeof good / sizeof *good)]);
    for (size_t edits = below(12); edits > 0; edits--) {
      const char *word = words[below(sizeof words / sizeof *words)];
      size_t length = strlen(word), at = below(size + 1);
      if (below(3) == 0 && at < size) {
        text[at] = (char)(1 + below(255));
      } else if (below(3) == 0) {
        size = at;
      } else if (size + length < sizeof text - 1) {
        memmove(text + at + length, text + at, size - at);
        memcpy(text + at, word, length);
        size += length;
      }
    }
    char *exact = malloc(size + 1);
    if (exact == NULL)
      abort();
    text[size] = '\0';
    memcpy(exact, text, size + 1);
    struct workload_file file;
    if (parse(&file, exact) == 0) {
      taken++;
      follow(&file, exact);
    } else if (lines_said != 1 || strncmp(said, "w:", 2) != 0 || strstr(said, "; see fastcopy-workload(5)") == NULL) {
      fail(said, exact);
    }
    workload_file_free(&file);
    free(exact);
  }
  printf("%lu files, %lu of them good\n", cases, taken);
  if (taken == 0 || taken == cases)
    fail("they are all alike", "fuzz");
}

int main(int argc, char **argv) {
  state = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
  printf("seed %llu\n", (unsigned long long)state);
  check_texts();
  check_rows();
  check_builtins();
  fuzz(argc > 2 ? strtoul(argv[2], NULL, 0) : 100000);
  printf("%u failed\n", failures);
  return failures != 0;
}
