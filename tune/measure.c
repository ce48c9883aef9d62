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
    *(volatile unaligned *)from = carry + i;
    copy(to, from, op[i].n);
    carry = *(volatile unaligned *)(op[i].n < 8 ? to : to + op[i].n - 8) & mask;
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

/* `count` operations from `from` on, around the end as often as needed. */
static void run(const struct work *work, copy_function *copy, size_t from, size_t count) {
  while (count != 0) {
    size_t some = work->count - from < count ? work->count - from : count;
    run_some(work, copy, from, some);
    count -= some;
    from += some;
    if (from == work->count)
      from = 0;
  }
}

/* A turn lasts about TURN_NS with this function: found by doubling, then fixed for all subjects alike. */
static void find_turn(struct work *work, copy_function *copy) {
  size_t turn = work->block;
  for (;;) {
    run(work, copy, 0, turn);
    uint64_t start = now_ns();
    run(work, copy, 0, turn);
    uint64_t taken = now_ns() - start;
    if (taken >= (uint64_t)TURN_NS / 4 * 3 || turn >= (size_t)1 << 24)
      break;
    turn *= 2;
  }
  /* whole passes where operations repeat within a turn, so that all turns do the same work */
  if (turn > work->count)
    turn -= turn % work->count;
  work->turn = turn;
}

int measure_round(struct samples *samples, struct work *work, const struct subject *subjects, unsigned count,
                  const unsigned char *active, struct random *random) {
  if (samples->rounds == samples->room) {
    unsigned room = samples->room == 0 ? 64 : 2 * samples->room;
    double *ns = realloc(samples->ns, (size_t)room * count * sizeof *ns);
    if (ns == NULL)
      return -1;
    samples->ns = ns;
    samples->room = room;
    samples->subjects = count;
  }
  if (work->turn == 0) {
    if (subjects[0].plan != NULL)
      live_set(subjects[0].plan);
    find_turn(work, subjects[0].function);
  }
  double *ns = samples->ns + (size_t)samples->rounds * count;
  unsigned order[count];
  for (unsigned i = 0; i < count; i++) {
    unsigned j = (unsigned)(random_next(random) % (i + 1));
    if (j != i)
      order[i] = order[j];
    order[j] = i;
  }
  for (unsigned i = 0; i < count; i++) {
    unsigned who = order[i];
    ns[who] = -1;
    if (active != NULL && !active[who])
      continue;
    if (subjects[who].plan != NULL)
      live_set(subjects[who].plan);
    /* read through a volatile: the compiler must not know that this is memcpy */
    copy_function *volatile hidden = subjects[who].function;
    copy_function *copy = hidden;
    /*
     * Each subject walks through all slices of the operations, but is never where another has just been: a
     * branch predictor would have learnt them, and a cache would hold them.
     */
    size_t slices = work->count > work->turn ? work->count / work->turn : 1;
    size_t at = (samples->rounds + who * slices / count) % slices * work->turn;
    run(work, copy, (at + work->count - work->warm % work->count) % work->count, work->warm);
    uint64_t start = now_ns();
    run(work, copy, at, work->turn);
    uint64_t taken = now_ns() - start;
    ns[who] = (double)taken / (double)work->turn;
  }
  samples->rounds++;
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
