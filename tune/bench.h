/* SPDX-License-Identifier: MIT */
/* What the parts of fastcopy-tune bench share. */
#ifndef TUNE_BENCH_H
#define TUNE_BENCH_H

#include "distribution.h"
#include "identity.h"
#include "output.h"
#include "scenario.h"
#include "tune.h"

enum bench_symbol { BENCH_MEMCPY, BENCH_MEMMOVE, BENCH_MEMPCPY, BENCH_SYMBOLS };
extern const char *const bench_symbol_names[BENCH_SYMBOLS];

/* Sets of symbols. */
#define BENCH_BIT(symbol) (1u << (symbol))

/* One kind of work that all functions do in turn. */
struct bench_row {
  const char *group; /* what the summary counts it under */
  char kind[64];     /* kind, size and where together name it */
  char size[40];
  const char *where;
  enum bench_symbol symbol;
  struct scenario scenario;
  struct band band; /* what scenario.bands stands for when it is NULL */
  unsigned threads; /* that copy at once, each in buffers of its own */
  bool bytes;       /* compared with the byte loop, not with the C library */
  double seconds;   /* its share of the time, and what it takes when nobody says how long */
};

struct bench_rows {
  struct bench_row *rows;
  size_t count;
};

struct bench_distribution {
  const char *name;
  struct distribution sizes;
  unsigned symbols; /* set of those that it is for */
};

/* What the rows of a suite depend on. */
struct bench_machine {
  size_t l2, l3; /* bytes of the caches */
  const struct bench_distribution *distributions;
  size_t distribution_count;
};

/* A named choice of rows. */
struct bench_suite {
  const char *name;
  const char *what;
  /* NULL: a table of its own, chunks.h */
  void (*add)(struct bench_rows *rows, const struct bench_machine *machine, enum bench_symbol symbol);
  unsigned symbols; /* that it can be asked for */
  unsigned usual;   /* those that it has when nobody asks */
  bool summary;     /* people see the groups; the rows only on demand */
};
extern const struct bench_suite bench_suites[];
extern const size_t bench_suite_count;

/* The rows of one distribution by itself, of one --sizes list. The latter: -1 and a line on standard error when it is none. */
void bench_distribution_row(struct bench_rows *rows, const struct bench_distribution *distribution, size_t operations,
                            enum bench_symbol symbol);
int bench_listed_rows(struct bench_rows *rows, const char *list, enum bench_symbol symbol);

/* What is called: one function a symbol; NULL where there is none. */
struct bench_subject {
  char *name; /* malloc'ed */
  copy_function *functions[BENCH_SYMBOLS];
};

/* The first subjects; the last ones are bench_last() of these. */
enum { BENCH_SYSTEM, BENCH_FASTCOPY };
enum { BENCH_EMPTY = 1, BENCH_CEILING, BENCH_BYTES, BENCH_LAST = BENCH_BYTES };
#define BENCH_SUBJECTS 16

struct bench {
  const struct bench_suite *suite; /* NULL: --sizes or --distribution alone */
  unsigned symbols;                /* set; of one symbol where there is no summary */
  bool json, verbose, mean;
  double seconds; /* 0: what the rows say */
  struct bench_subject subjects[BENCH_SUBJECTS];
  unsigned subject_count;
  bool shown[BENCH_SUBJECTS]; /* is there a row of this subject? */
};

/* What a row came to. */
struct bench_result {
  double ns[BENCH_SUBJECTS], ratio[BENCH_SUBJECTS]; /* 0: none */
};

unsigned bench_last(const struct bench *bench, unsigned which);

/* How many columns lead a row: group and symbol, and with them goes a summary; 0 in the default suite. */
unsigned bench_lead(const struct bench *bench);

void bench_print_head(struct output *output, const struct identity *identity);
struct libscols_table *bench_open_table(const struct output *output, const struct bench *bench);
void bench_print_row(struct libscols_table *table, const struct bench *bench, const struct bench_row *row,
                     const struct bench_result *result);
/* results: one a row, in both. */
void bench_print_mean(struct libscols_table *table, const struct bench *bench, const struct bench_rows *rows,
                      const struct bench_result results[]);
void bench_print_summary(struct output *output, const struct bench *bench, const struct bench_rows *rows,
                         const struct bench_result results[]);

/*
 * PATH[:SYMBOL] of --against: the functions of these symbols, each tried first; `taken`: names of other subjects. 0, or -1
 * with a line on standard error.
 */
int bench_against(struct bench_subject *subject, const char *argument, unsigned symbols,
                  const struct bench_subject *taken, unsigned taken_count);

/* As measure_until(), works[0] and works[1] by two threads at once; a figure is the mean of the two. */
int bench_threads(struct samples *samples, struct work works[2], const struct subject *subjects, unsigned count,
                  const unsigned char *active, uint64_t end, unsigned least, struct random *random);

/* CPUs that this process may run on. */
unsigned bench_cpus(void);

/* A memmove that no compiler made anything of: byte by byte. */
copy_function bench_byte_loop;

#endif
