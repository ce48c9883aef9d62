/* SPDX-License-Identifier: MIT */
/* Two threads that copy at the same time. */
#define _GNU_SOURCE 1 /* CPU_COUNT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "bench.h"

#define TURN_NS 2000000 /* long against the moment by which one thread is late */
#define SPINS 100000    /* before a thread that waits lets others run */

/* Where both wait for each other: spinning, since a thread that is woken comes too late. */
struct meeting {
  atomic_uint arrived, round;
};

struct pair {
  struct meeting meeting;
  struct work *works;
  copy_function *copy; /* what both are to call from operation `at` on, NULL: the end; set before they meet */
  size_t at;
  double ns[2]; /* per call, of each; there once they have met again */
};

static void meet(struct meeting *meeting) {
  unsigned round = atomic_load(&meeting->round);
  if (atomic_fetch_add(&meeting->arrived, 1) == 1) {
    atomic_store(&meeting->arrived, 0);
    atomic_store(&meeting->round, round + 1);
    return;
  }
  for (unsigned spins = 0; atomic_load(&meeting->round) == round; spins++) {
    if (spins >= SPINS)
      sched_yield();
  }
}

static void turn(struct pair *pair, unsigned who) {
  work_warm(&pair->works[who], pair->copy, pair->at);
  meet(&pair->meeting);
  pair->ns[who] = work_time(&pair->works[who], pair->copy, pair->at);
  meet(&pair->meeting);
}

static void *second(void *argument) {
  struct pair *pair = argument;
  for (;;) {
    meet(&pair->meeting);
    if (pair->copy == NULL)
      return NULL;
    turn(pair, 1);
  }
}

unsigned bench_cpus(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

int bench_threads(struct samples *samples, struct work works[2], const struct subject *subjects, unsigned count,
                  const unsigned char *active, uint64_t end, unsigned least, struct random *random) {
  work_find_turn(&works[0], subjects[0].function, TURN_NS);
  works[1].turn = works[0].turn;
  struct pair pair = {.works = works};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, second, &pair);
  if (error != 0) {
    tune_error("cannot start a thread: %s", strerror(error));
    return -1;
  }
  unsigned order[count];
  int result = 0;
  for (unsigned round = 0; result == 0 && (round < least || now_ns() < end); round++) {
    result = samples_round(samples, count);
    random_order(random, order, count);
    for (unsigned i = 0; i < count && result == 0; i++) {
      unsigned who = order[i];
      if (!active[who])
        continue;
      pair.copy = subjects[who].function;
      pair.at = work_slice(&works[0], round, who, count);
      meet(&pair.meeting);
      turn(&pair, 0);
      samples->ns[(size_t)round * count + who] = (pair.ns[0] + pair.ns[1]) / 2;
    }
  }
  pair.copy = NULL;
  meet(&pair.meeting);
  pthread_join(thread, NULL);
  return result;
}
