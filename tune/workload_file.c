/* SPDX-License-Identifier: MIT */
#include "workload_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tune.h"

#define FIRST_LINE "fastcopy-workload 1"

static const char *const function_names[RECORD_FUNCTIONS] = {[RECORD_MEMCPY] = "memcpy", [RECORD_MEMMOVE] = "memmove"};

static const char *const counter_names[RECORD_COUNTERS] = {
    [RECORD_BYTES] = "bytes", [RECORD_SAME] = "same",       [RECORD_STEADY] = "steady",  [RECORD_AGAIN] = "again",
    [RECORD_USED] = "used",   [RECORD_OVERLAP] = "overlap", [RECORD_ALIGNED] = "aligned"};

int workload_file_add(struct workload_file *file, const struct workload_line *line) {
  /* doubled whenever the count reaches a power of two */
  size_t count = file->count;
  if ((count & (count - 1)) == 0) {
    struct workload_line *lines = realloc(file->lines, (count == 0 ? 1 : 2 * count) * sizeof *lines);
    if (lines == NULL)
      return -1;
    file->lines = lines;
  }
  file->lines[file->count++] = *line;
  return 0;
}

void workload_file_free(struct workload_file *file) {
  free(file->command);
  free(file->lines);
  *file = (struct workload_file){0};
}

/* One line of the text, without its end. The word is the one that a message is about. */
struct scan {
  const char *path, *start, *at, *end, *word;
  unsigned line;
};

static int wrong(const struct scan *scan, const char *what) {
  tune_error("%s:%u:%zu: %s; see fastcopy-workload(5)", scan->path, scan->line, (size_t)(scan->word - scan->start) + 1,
             what);
  return -1;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The next word, empty at the end of the line. */
static size_t next_word(struct scan *scan) {
  while (scan->at < scan->end && is_blank(*scan->at))
    scan->at++;
  scan->word = scan->at;
  while (scan->at < scan->end && !is_blank(*scan->at))
    scan->at++;
  return (size_t)(scan->at - scan->word);
}

static bool is_word(const struct scan *scan, size_t length, const char *text) {
  return length == strlen(text) && memcmp(scan->word, text, length) == 0;
}

/* Digits up to `most`; moves *at behind them. */
static bool read_number(const char **at, const char *end, uint64_t most, uint64_t *number) {
  const char *from = *at;
  uint64_t value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    unsigned digit = (unsigned)(**at - '0');
    if (value > (most - digit) / 10)
      return false;
    value = 10 * value + digit;
  }
  *number = value;
  return *at != from;
}

/* The same with K, M or G behind it. */
static bool read_bytes(const char **at, const char *end, uint64_t *number) {
  if (!read_number(at, end, WORKLOAD_SIZE_MOST, number))
    return false;
  unsigned shift = 0;
  if (*at < end && **at != '-') {
    shift = **at == 'K' ? 10 : **at == 'M' ? 20 : **at == 'G' ? 30 : 64;
    ++*at;
  }
  if (shift == 64 || *number > WORKLOAD_SIZE_MOST >> shift)
    return false;
  *number <<= shift;
  return true;
}

static int read_counter(struct scan *scan, size_t length, struct workload_line *line, unsigned *seen) {
  const char *at = scan->word, *end = scan->word + length, *equals = memchr(at, '=', length);
  unsigned counter = RECORD_CALLS + 1;
  size_t name = equals == NULL ? length : (size_t)(equals - at);
  while (counter < RECORD_COUNTERS && !is_word(scan, name, counter_names[counter]))
    counter++;
  if (equals == NULL || counter == RECORD_COUNTERS)
    return wrong(scan, "same=, steady=, again=, used=, overlap=, aligned= or bytes= was expected");
  if ((*seen & 1u << counter) != 0)
    return wrong(scan, "this stands twice on the line: leave one");
  *seen |= 1u << counter;
  at = scan->word = equals + 1;
  if (!read_number(&at, end, UINT64_MAX / 2, &line->counts[counter]) || at != end)
    return wrong(scan, "a whole number was expected");
  if (counter != RECORD_BYTES)
    return line->counts[counter] > line->counts[RECORD_CALLS] ? wrong(scan, "this is more than the calls of the line")
                                                              : 0;
  double bytes = (double)line->counts[RECORD_BYTES], calls = (double)line->counts[RECORD_CALLS];
  /* the products may be rounded */
  if (bytes < 0.999999 * calls * (double)line->low || bytes > 1.000001 * calls * (double)line->high)
    return wrong(scan, "so many bytes are not what the calls of the line can have copied: leave it out");
  return 0;
}

static int read_line(struct scan *scan, size_t length, struct workload_line *line) {
  unsigned function = 0;
  while (function < RECORD_FUNCTIONS && !is_word(scan, length, function_names[function]))
    function++;
  if (function == RECORD_FUNCTIONS)
    return wrong(scan, "memcpy, memmove, command or # was expected");
  *line = (struct workload_line){.function = (enum record_function)function};

  length = next_word(scan);
  const char *at = scan->word, *end = scan->word + length;
  bool good = read_bytes(&at, end, &line->low);
  line->high = line->low;
  if (good && at < end && *at == '-') {
    at++;
    good = read_bytes(&at, end, &line->high);
  }
  if (!good || at != end)
    return wrong(scan, "a size of at most 1024G was expected, as in 64, 65-79 or 4K");
  if (line->high < line->low)
    return wrong(scan, "the second size is smaller than the first: exchange them");

  length = next_word(scan);
  at = scan->word;
  end = scan->word + length;
  if (!read_number(&at, end, WORKLOAD_CALLS_MOST, &line->counts[RECORD_CALLS]) || at != end)
    return wrong(scan, "the number of calls was expected, at most 1000000000000000");
  for (unsigned seen = 0; (length = next_word(scan)) != 0;) {
    if (read_counter(scan, length, line, &seen) != 0)
      return -1;
  }
  return 0;
}

static int no_memory(struct workload_file *file, const char *path) {
  tune_error("not enough memory for %s", path);
  workload_file_free(file);
  return -1;
}

/* No control character, not even a tab: the text is written as one line, and shown. */
static char printable(char c) { return (unsigned char)c < ' ' || c == 0x7f ? '?' : c; }

int workload_file_parse(struct workload_file *file, const char *text, const char *path) {
  *file = (struct workload_file){0};
  struct scan scan = {.path = path};
  uint64_t calls = 0;
  bool begun = false;
  int result = 0;
  for (const char *next = text; result == 0 && *next != '\0';) {
    scan.start = scan.at = next;
    scan.line++;
    scan.end = next + strcspn(next, "\n");
    next = scan.end + (*scan.end == '\n');
    if (scan.end > scan.start && scan.end[-1] == '\r')
      scan.end--;
    size_t length = next_word(&scan);
    if (length == 0 || *scan.word == '#')
      continue;
    if (!begun) {
      begun = true;
      while (scan.end > scan.word && is_blank(scan.end[-1]))
        scan.end--;
      if (!is_word(&scan, (size_t)(scan.end - scan.word), FIRST_LINE))
        result =
            wrong(&scan, is_word(&scan, length, "fastcopy-workload")
                             ? "only version 1 is known here: record it again, or take the fastcopy-tune that wrote it"
                             : "not a workload, which begins with \"" FIRST_LINE "\"");
    } else if (is_word(&scan, length, "command")) {
      if (file->command != NULL) {
        result = wrong(&scan, "this is the second command: leave one");
        break;
      }
      next_word(&scan);
      file->command = strndup(scan.word, (size_t)(scan.end - scan.word));
      if (file->command == NULL)
        return no_memory(file, path);
      for (char *c = file->command; *c != '\0'; c++)
        *c = printable(*c);
    } else {
      struct workload_line line;
      const char *first = scan.word;
      result = read_line(&scan, length, &line);
      if (result == 0 && file->count == WORKLOAD_LINES_MOST) {
        scan.word = first;
        result = wrong(&scan, "there are more than 4096 lines: join sizes");
      } else if (result == 0) {
        calls += line.counts[RECORD_CALLS];
        if (workload_file_add(file, &line) != 0)
          return no_memory(file, path);
      }
    }
  }
  if (result == 0 && calls == 0) {
    if (scan.line == 0)
      scan = (struct scan){.path = path, .line = 1};
    scan.word = scan.start;
    result = wrong(&scan, begun ? "there are no calls: a workload has at least one"
                                : "not a workload, which begins with \"" FIRST_LINE "\"");
  }
  if (result != 0)
    workload_file_free(file);
  return result;
}

int workload_file_read(struct workload_file *file, const char *path) {
  *file = (struct workload_file){0};
  static const struct text_kind kind = {"workload", "fastcopy-workload(5)", (size_t)1 << 20};
  char *text = tune_read_text(path, &kind);
  int result = text == NULL ? -1 : workload_file_parse(file, text, path);
  free(text);
  return result;
}

void workload_file_write(const struct workload_file *file, FILE *to) {
  fputs(FIRST_LINE "\n", to);
  if (file->command != NULL) {
    fputs("command ", to);
    for (const char *at = file->command; *at != '\0'; at++)
      fputc(printable(*at), to);
    fputc('\n', to);
  }
  for (size_t i = 0; i < file->count; i++) {
    const struct workload_line *line = &file->lines[i];
    fprintf(to, "%s %llu", function_names[line->function], (unsigned long long)line->low);
    if (line->high != line->low)
      fprintf(to, "-%llu", (unsigned long long)line->high);
    fprintf(to, " %llu", (unsigned long long)line->counts[RECORD_CALLS]);
    for (unsigned counter = RECORD_CALLS + 1; counter < RECORD_COUNTERS; counter++) {
      /* the bytes of one size follow from the calls */
      if (line->counts[counter] != 0 && (counter != RECORD_BYTES || line->high != line->low))
        fprintf(to, " %s=%llu", counter_names[counter], (unsigned long long)line->counts[counter]);
    }
    fputc('\n', to);
  }
}
