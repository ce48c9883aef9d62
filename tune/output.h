/* SPDX-License-Identifier: MIT */
/*
 * Results on standard output, as tables for people or as one JSON object: the same columns serve both, each
 * table is a key of that object. Running out of memory ends the program.
 */
#ifndef TUNE_OUTPUT_H
#define TUNE_OUTPUT_H

#include <libsmartcols/libsmartcols.h>

#include "lib/fastcopy.h"
#include "tune.h"

enum output_kind {
  OUTPUT_TEXT,
  OUTPUT_WRAP,   /* text that may be broken to fit the terminal */
  OUTPUT_NUMBER, /* right-aligned; a JSON number, null when the cell is empty */
  OUTPUT_FLAG,   /* yes or no; a JSON boolean */
};

struct output_column {
  const char *name; /* heading and JSON key: lower case, no blanks */
  enum output_kind kind;
};

struct output {
  bool json;
  unsigned tables; /* printed so far */
};

void output_begin(struct output *output, bool json);
void output_end(struct output *output);

struct libscols_table *output_table(const struct output *output, const char *name, const struct output_column columns[],
                                    size_t count);
struct libscols_line *output_line(struct libscols_table *table);

/* Cells. Bytes of a text that a terminal or JSON cannot take become '?'. */
void output_text(struct libscols_line *line, size_t column, const char *text);
void output_number(struct libscols_line *line, size_t column, uint64_t number);
void output_decimal(struct libscols_line *line, size_t column, double number, int places);
void output_flag(struct libscols_line *line, size_t column, bool flag);
/* "32M" for people; in JSON the number of bytes, and null for UINT64_MAX or SIZE_MAX, which people read as "never". */
void output_bytes(const struct output *output, struct libscols_line *line, size_t column, uint64_t bytes);

/* Prints and frees the table; for people as rows, or as one "name value" line a cell, leaving out empty cells. */
void output_rows(struct output *output, struct libscols_table *table);
void output_fields(struct output *output, struct libscols_table *table);

/* The table "plan": what is in force in this process and why, as fastcopy_describe() says. */
void output_plan(struct output *output, const struct fastcopy_plan *plan);

/* A size as output_bytes() writes it for people. */
const char *output_size(char text[32], uint64_t bytes);

#endif
