/* SPDX-License-Identifier: MIT */
/*
 * Timing: copy functions take turns at the same work in many short rounds, so that drift and disturbance hit
 * all of them alike; a low quantile of the rounds is the figure.
 */
#ifndef TUNE_MEASURE_H
#define TUNE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/plan.h"

typedef void *copy_function(void *dst, const void *src, size_t n);

/* What is measured: a function, under a plan. */
struct subject {
  const char *name;
  copy_function *function;
  const struct fc_plan *plan; /* set through fc_live_set() before its turn; NULL for functions that follow none */
};

struct operation {
  uint32_t dst, src, n; /* offsets from the bases, and bytes */
};

/* What happens around each copy. */
enum next {
  NEXT_NOTHING,  /* calls do not depend on each other */
  NEXT_CONSUMED, /* every other source was just written; both ends of the copy are needed for the next call */
  NEXT_FORWARD,  /* store 8 bytes, copy, load 8 bytes, each needed for the next; below 8 bytes 4, below 4 one */
  NEXT_READ,     /* the whole destination is read */
};

struct work {
  struct operation *operations; /* malloc'ed */
  size_t count;
  unsigned char *dst, *src;
  enum next next;
  size_t block; /* operations that are alike as a whole: a turn is a multiple of it */
  size_t turn;  /* operations that are timed in one turn; when 0, found on first use with the first subject */
  size_t warm;  /* operations before them that are not timed */
};

/* Nanoseconds per call, one figure a turn. */
struct samples {
  unsigned subjects;
  unsigned rounds;
  unsigned room;
  double *ns; /* [round * subjects + subject]; negative where the subject was left out */
};

uint64_t now_ns(void);

/* The parts of a turn, for those who time several works at once. */

/* `count` operations from `from` on, around the end as often as needed. */
void work_run(const struct work *work, copy_function *copy, size_t from, size_t count);
/* Sets work->turn, for all subjects alike, so that a turn with this function lasts about `ns`. */
void work_find_turn(struct work *work, copy_function *copy, uint64_t ns);
/* The operation that the turn of subject `who` of `count` begins with. */
size_t work_slice(const struct work *work, unsigned round, unsigned who, unsigned count);
/* What comes before a turn from `at` on, and the turn: nanoseconds per call. */
void work_warm(const struct work *work, copy_function *copy, size_t at);
double work_time(const struct work *work, copy_function *copy, size_t at);

struct random {
  uint64_t state;
};
uint64_t random_next(struct random *random);
/* Uniform in [0, 1). */
double random_unit(struct random *random);
/* 0..count - 1 in random order. */
void random_order(struct random *random, unsigned order[], unsigned count);

/* One more round, of which no subject has a figure yet. -1 when memory is short. */
int samples_round(struct samples *samples, unsigned count);
void samples_free(struct samples *samples);

/*
 * One round: each subject whose `active` is not 0 (NULL: all) has its turn at the work, in random order.
 * -1 when memory is short.
 */
int measure_round(struct samples *samples, struct work *work, const struct subject *subjects, unsigned count,
                  const unsigned char *active, struct random *random);

/* Rounds until the time `end` (of now_ns()), at least `least` and at most `most` of them. */
int measure_until(struct samples *samples, struct work *work, const struct subject *subjects, unsigned count,
                  uint64_t end, unsigned least, unsigned most, struct random *random);

/* The figure of a subject: the 10 % quantile; 0 when there is none. */
double samples_figure(const struct samples *samples, unsigned subject);

#endif
