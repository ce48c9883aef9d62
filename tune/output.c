/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* secure_getenv */
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tune_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fastcopy-tune: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

int tune_usage(const char *format, ...) {
  if (format != NULL) {
    va_list args;
    va_start(args, format);
    fputs("fastcopy-tune: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
  }
  fputs("Try 'fastcopy-tune --help'.\n", stderr);
  return TUNE_USAGE;
}

int tune_options(int argc, char **argv, const char *help, bool *json, int *code) {
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  for (int option; (option = getopt_long(argc, argv, "jh", options, NULL)) != -1;) {
    if (option == 'j') {
      *json = true;
      continue;
    }
    if (option == 'h')
      fputs(help, stdout);
    *code = option == 'h' ? TUNE_DONE : tune_usage(NULL);
    return 1;
  }
  return 0;
}

bool tune_parse_size(const char *text, size_t *bytes) {
  if (!isdigit((unsigned char)*text))
    return false;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0)
    return false;
  unsigned shift = 0;
  if (*end != '\0') {
    const char *const letters = "bkmgt";
    const char *letter = strchr(letters, tolower((unsigned char)*end));
    if (letter == NULL)
      return false;
    shift = 10 * (unsigned)(letter - letters);
    end++;
    if (shift != 0 && strcasecmp(end, "b") != 0 && strcasecmp(end, "ib") != 0 && *end != '\0')
      return false;
    if (shift == 0 && *end != '\0')
      return false;
  }
  if (value > SIZE_MAX >> shift)
    return false;
  *bytes = (size_t)value << shift;
  return true;
}

const char *tune_table_path(void) {
  const char *path = secure_getenv("FASTCOPY_TABLE");
  return path != NULL && *path != '\0' ? path : TUNE_TABLE_PATH;
}

static void check(bool good) {
  if (!good) {
    tune_error("not enough memory for the output");
    exit(TUNE_FAILED);
  }
}

void output_begin(struct output *output, bool json) {
  output->json = json;
  output->tables = 0;
  if (json)
    puts("{");
}

void output_end(struct output *output) {
  if (output->json)
    puts("\n}");
}

struct libscols_table *output_table(const struct output *output, const char *name, const struct output_column columns[],
                                    size_t count) {
  struct libscols_table *table = scols_new_table();
  check(table != NULL && scols_table_set_name(table, name) == 0 && scols_table_enable_json(table, output->json) == 0);
  for (size_t i = 0; i < count; i++) {
    static const int flags[] = {[OUTPUT_WRAP] = SCOLS_FL_WRAP, [OUTPUT_NUMBER] = SCOLS_FL_RIGHT, [OUTPUT_FLAG] = 0};
    static const int types[] = {[OUTPUT_NUMBER] = SCOLS_JSON_NUMBER, [OUTPUT_FLAG] = SCOLS_JSON_BOOLEAN};
    struct libscols_column *column = scols_table_new_column(table, columns[i].name, 0, flags[columns[i].kind]);
    check(column != NULL && scols_column_set_json_type(column, types[columns[i].kind]) == 0);
  }
  return table;
}

struct libscols_line *output_line(struct libscols_table *table) {
  struct libscols_line *line = scols_table_new_line(table, NULL);
  check(line != NULL);
  return line;
}

/* Bytes of the UTF-8 sequence at `text`, 0 when it is none, or a control character. */
static unsigned sequence(const unsigned char *text) {
  if (text[0] < 0x80)
    return text[0] >= ' ' && text[0] != 0x7f;
  unsigned size = text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : text[0] >= 0xe0 ? 3 : 2;
  if (text[0] < 0xc2 || text[0] >= 0xf5)
    return 0;
  for (unsigned i = 1; i < size; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  }
  /* over-long forms, surrogates, above U+10FFFF; and the C1 controls */
  if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
      (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90) ||
      (text[0] == 0xc2 && text[1] < 0xa0))
    return 0;
  return size;
}

void output_text(struct libscols_line *line, size_t column, const char *text) {
  char *clean = strdup(text);
  check(clean != NULL);
  for (unsigned char *at = (unsigned char *)clean; *at != '\0';) {
    unsigned size = sequence(at);
    if (size == 0)
      *at = '?';
    at += size + (size == 0);
  }
  check(scols_line_refer_data(line, column, clean) == 0);
}

void output_number(struct libscols_line *line, size_t column, uint64_t number) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  output_text(line, column, text);
}

void output_decimal(struct libscols_line *line, size_t column, double number, int places) {
  char text[64];
  snprintf(text, sizeof text, "%.*f", places, number);
  /* JSON has no word for an infinity, and an empty cell is null */
  output_text(line, column, isalpha((unsigned char)text[text[0] == '-']) ? "" : text);
}

void output_flag(struct libscols_line *line, size_t column, bool flag) {
  output_text(line, column, flag ? "yes" : "no");
}

const char *output_size(char text[32], uint64_t bytes) {
  if (bytes == UINT64_MAX || bytes == SIZE_MAX)
    return strcpy(text, "never");
  unsigned unit = 0;
  while (unit < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    unit++;
  }
  const char *const units[] = {"", "K", "M", "G", "T"};
  snprintf(text, 32, "%llu%s", (unsigned long long)bytes, units[unit]);
  return text;
}

void output_bytes(const struct output *output, struct libscols_line *line, size_t column, uint64_t bytes) {
  char text[32];
  if (!output->json)
    output_text(line, column, output_size(text, bytes));
  else if (bytes != UINT64_MAX && bytes != SIZE_MAX)
    output_number(line, column, bytes);
}

/* In JSON a table prints an object of its own: its members become members of the one object of the command. */
static void print_members(struct output *output, struct libscols_table *table) {
  char *text = NULL;
  check(scols_print_table_to_string(table, &text) == 0 && text != NULL);
  char *first = strchr(text, '{'), *last = strrchr(text, '}');
  check(first != NULL && last != NULL);
  first += first[1] == '\n' ? 2 : 1;
  if (last[-1] == '\n')
    last--;
  printf("%s%.*s", output->tables == 0 ? "" : ",\n", (int)(last - first), first);
  free(text);
}

static void print(struct output *output, struct libscols_table *table, bool rows) {
  if (output->json) {
    print_members(output, table);
    output->tables++;
  } else if (!scols_table_is_empty(table)) {
    if (output->tables++ != 0)
      putchar('\n');
    if (rows) {
      check(scols_print_table(table) == 0);
    } else {
      size_t columns = scols_table_get_ncols(table), lines = scols_table_get_nlines(table);
      int width = 0;
      for (size_t i = 0; i < columns; i++) {
        int length = (int)strlen(scols_column_get_name(scols_table_get_column(table, i)));
        width = length > width ? length : width;
      }
      for (size_t i = 0; i < lines; i++) {
        if (i != 0)
          putchar('\n');
        for (size_t j = 0; j < columns; j++) {
          const char *data = scols_cell_get_data(scols_line_get_cell(scols_table_get_line(table, i), j));
          if (data != NULL && *data != '\0')
            printf("%-*s  %s\n", width, scols_column_get_name(scols_table_get_column(table, j)), data);
        }
      }
    }
  }
  scols_unref_table(table);
}

void output_rows(struct output *output, struct libscols_table *table) { print(output, table, true); }

void output_fields(struct output *output, struct libscols_table *table) { print(output, table, false); }

void output_plan(struct output *output, const struct fastcopy_plan *plan) {
  enum { MEMCPY, MEMMOVE, SOURCE, REASON, TABLE, COLUMNS };
  static const struct output_column columns[COLUMNS] = {
      [MEMCPY] = {"memcpy", OUTPUT_TEXT}, [MEMMOVE] = {"memmove", OUTPUT_TEXT}, [SOURCE] = {"source", OUTPUT_TEXT},
      [REASON] = {"reason", OUTPUT_TEXT}, [TABLE] = {"table", OUTPUT_TEXT},
  };
  struct libscols_table *table = output_table(output, "plan", columns, COLUMNS);
  struct libscols_line *line = output_line(table);
  output_text(line, MEMCPY, plan->memcpy_variant);
  output_text(line, MEMMOVE, plan->memmove_variant);
  output_text(line, SOURCE, plan->source);
  output_text(line, REASON, plan->reason);
  output_text(line, TABLE, plan->table);
  output_fields(output, table);
}
