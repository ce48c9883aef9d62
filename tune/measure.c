/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <stdlib.h>
#include <time.h>

#include "decision.h"
#include "live.h"

#define TURN_NS 60000 /* long against the clock's own cost, short against a time slice */

uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* splitmix64 */
uint64_t random_next(struct random *random) {
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

double random_unit(struct random *random) { return (double)(random_next(random) >> 11) * 0x1p-53; }

void samples_free(struct samples *samples) {
  free(samples->ns);
  *samples = (struct samples){0};
}

/* Zero, unknown to the compiler: makes an address depend on a loaded value without changing it. */
static volatile uintptr_t zero;
static volatile uint64_t sink;

typedef uint64_t __attribute__((aligned(1), may_alias)) unaligned;
typedef uint32_t __attribute__((aligned(1), may_alias)) unaligned_half;

static void run_plain(const struct operation *op, size_t count, copy_function *copy, unsigned char *dst,
                      const unsigned char *src) {
  for (size_t i = 0; i < count; i++)
    copy(dst + op[i].dst, src + op[i].src, op[i].n);
}

static void run_consumed(const struct operation *op, size_t count, copy_function *copy, unsigned char *dst,
                         unsigned char *src) {
  uintptr_t mask = zero, carry = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char *from = src + op[i].src + carry, *to = dst + op[i].dst;
    if (i & 1)
      *(volatile unaligned *)from = i;
    copy(to, from, op[i].n);
    /* bytes, so that short copies are read for what they are; the loads of n = 0 are harmless */
    carry = (*(volatile unsigned char *)to + *(volatile unsigned char *)(to + op[i].n - (op[i].n != 0))) & mask;
  }
}

static void run_forward(const struct operation *op, size_t count, copy_function *copy, unsigned char *dst,
                        unsigned char *src) {
  uintptr_t mask = zero, carry = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char *from = src + op[i].src + carry, *to = dst + op[i].dst;
    const size_t n = op[i].n;
    /* no more than is copied: a load of older bytes beside the new ones waits for the store, whoever copied */
    if (n >= 8) {
      *(volatile unaligned *)from = carry + i;
      copy(to, from, n);
      carry = *(volatile unaligned *)(to + n - 8) & mask;
    } else if (n >= 4) {
      *(volatile unaligned_half *)from = (uint32_t)(carry + i);
      copy(to, from, n);
      carry = *(volatile unaligned_half *)(to + n - 4) & mask;
    } else {
      *(volatile unsigned char *)from = (unsigned char)(carry + i);
      copy(to, from, n);
      carry = *(volatile unsigned char *)to & mask;
    }
  }
}

static void run_read(const struct operation *op, size_t count, copy_function *copy, unsigned char *dst,
                     const unsigned char *src) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char *to = dst + op[i].dst;
    copy(to, src + op[i].src, op[i].n);
    /* one word a cache line: as fast as a reader can be, so that the copy stays the larger part */
    for (size_t at = 0; at + 8 <= op[i].n; at += 64)
      sum += *(volatile unaligned *)(to + at);
  }
  sink = sum;
}

static void run_some(const struct work *work, copy_function *copy, size_t from, size_t count) {
  const struct operation *op = work->operations + from;
  switch (work->next) {
  case NEXT_NOTHING:
    run_plain(op, count, copy, work->dst, work->src);
    break;
  case NEXT_CONSUMED:
    run_consumed(op, count, copy, work->dst, work->src);
    break;
  case NEXT_FORWARD:
    run_forward(op, count, copy, work->dst, work->src);
    break;
  case NEXT_READ:
    run_read(op, count, copy, work->dst, work->src);
    break;
  }
}

void work_run(const struct work *work, copy_function *copy, size_t from, size_t count) {
  while (count != 0) {
    size_t some = work->count - from < count ? work->count - from : count;
    run_some(work, copy, from, some);
    count -= some;
    from += some;
    if (from == work->count)
      from = 0;
  }
}

void work_find_turn(struct work *work, copy_function *copy, uint64_t ns) {
  /* by doubling */
  size_t turn = work->block;
  for (;;) {
    work_run(work, copy, 0, turn);
    uint64_t start = now_ns();
    work_run(work, copy, 0, turn);
    uint64_t taken = now_ns() - start;
    if (taken >= ns / 4 * 3 || turn >= (size_t)1 << 24)
      break;
    turn *= 2;
  }
  /* whole passes where operations repeat within a turn, so that all turns do the same work */
  if (turn > work->count)
    turn -= turn % work->count;
  work->turn = turn;
}

size_t work_slice(const struct work *work, unsigned round, unsigned who, unsigned count) {
  /*
   * Each subject walks through all slices of the operations, but is never where another has just been: a
   * branch predictor would have learnt them, and a cache would hold them.
   */
  size_t slices = work->count > work->turn ? work->count / work->turn : 1;
  return (round + who * slices / count) % slices * work->turn;
}

void work_warm(const struct work *work, copy_function *copy, size_t at) {
  work_run(work, copy, (at + work->count - work->warm % work->count) % work->count, work->warm);
}

double work_time(const struct work *work, copy_function *copy, size_t at) {
  uint64_t start = now_ns();
  work_run(work, copy, at, work->turn);
  return (double)(now_ns() - start) / (double)work->turn;
}

int samples_round(struct samples *samples, unsigned count) {
  if (samples->rounds == samples->room) {
    unsigned room = samples->room == 0 ? 64 : 2 * samples->room;
    double *ns = realloc(samples->ns, (size_t)room * count * sizeof *ns);
    if (ns == NULL)
      return -1;
    samples->ns = ns;
    samples->room = room;
    samples->subjects = count;
  }
  for (unsigned i = 0; i < count; i++)
    samples->ns[(size_t)samples->rounds * count + i] = -1;
  samples->rounds++;
  return 0;
}

void random_order(struct random *random, unsigned order[], unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    unsigned j = (unsigned)(random_next(random) % (i + 1));
    if (j != i)
      order[i] = order[j];
    order[j] = i;
  }
}

int measure_round(struct samples *samples, struct work *work, const struct subject *subjects, unsigned count,
                  const unsigned char *active, struct random *random) {
  const unsigned round = samples->rounds;
  if (samples_round(samples, count) != 0)
    return -1;
  if (work->turn == 0) {
    if (subjects[0].plan != NULL)
      fc_live_set(subjects[0].plan);
    work_find_turn(work, subjects[0].function, TURN_NS);
  }
  unsigned order[count];
  random_order(random, order, count);
  for (unsigned i = 0; i < count; i++) {
    unsigned who = order[i];
    if (active != NULL && !active[who])
      continue;
    if (subjects[who].plan != NULL)
      fc_live_set(subjects[who].plan);
    /* read through a volatile: the compiler must not know that this is memcpy */
    copy_function *volatile hidden = subjects[who].function;
    copy_function *copy = hidden;
    size_t at = work_slice(work, round, who, count);
    work_warm(work, copy, at);
    samples->ns[(size_t)round * count + who] = work_time(work, copy, at);
  }
  return 0;
}

int measure_until(struct samples *samples, struct work *work, const struct subject *subjects, unsigned count,
                  uint64_t end, unsigned least, unsigned most, struct random *random) {
  while (samples->rounds < most && (samples->rounds < least || now_ns() < end)) {
    if (measure_round(samples, work, subjects, count, NULL, random) != 0)
      return -1;
  }
  return 0;
}

double samples_figure(const struct samples *samples, unsigned subject) {
  if (samples->rounds == 0)
    return 0;
  return decision_figure(samples->ns + subject, samples->rounds, samples->subjects);
}
