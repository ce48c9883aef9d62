/* SPDX-License-Identifier: MIT */
/*
 * Programs share arrays of pointers and counters between threads, and copy them. No copy may show another thread half
 * an aligned value, nor make one from halves of different age: where n is a multiple of the value's size, the moves
 * that the copy is made of neither split one nor store the parts of one from different loads.
 *
 *   seen   one thread copies all zeros and all ones by turns, the other reads the destination
 *   taken  one thread rewrites the source with zeros and ones by turns, the other copies it and reads its own copy
 *
 * usage: check_whole [--seed NUMBER] [LEAST]
 * LEAST: smaller sizes are left out, since an emulator makes moves of a given length byte by byte.
 *
 * What is seen depends on how the threads meet. A case that has not met both values shows nothing, and does not count.
 * Variants with the trait FC_FORCED promise nothing of the kind.
 */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dispatch/plan.h"
#include "lib/fastcopy.h"

enum {
  LINE = 64,
  LONGEST = 520,
  ROOM = LONGEST + 4 * LINE,
  LOOKS = 80000,        /* of a case */
  LOOKS_MOST = 1000000, /* of a case that has met one value only */
  IN_A_ROW = 51,        /* turns between two yields; odd, so that on one CPU both values are met */
  LOOKS_IN_A_ROW = 256,
};

enum way { SEEN, TAKEN, WAYS };
static const char *const way_names[WAYS] = {"the destination", "the source"};

struct counts {
  unsigned long looks, zeros, ones, halves, cases, blind;
};

/* The case that both threads work on. */
static struct {
  fc_copy *function;
  enum way way;
  size_t n, word;
  unsigned char *dst, *src;
  bool started, stop;
} now;

static _Alignas(LINE) unsigned char shared[ROOM], own[ROOM], values[2][ROOM];

static uint64_t load(const unsigned char *at, size_t word) {
  if (word == sizeof(uintptr_t))
    return __atomic_load_n((const uintptr_t *)(const void *)at, __ATOMIC_RELAXED);
  if (word == sizeof(uint32_t))
    return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_RELAXED);
  return __atomic_load_n((const uint16_t *)(const void *)at, __ATOMIC_RELAXED);
}

static void store(unsigned char *at, size_t word, uint64_t value) {
  if (word == sizeof(uintptr_t))
    __atomic_store_n((uintptr_t *)(void *)at, (uintptr_t)value, __ATOMIC_RELAXED);
  else if (word == sizeof(uint32_t))
    __atomic_store_n((uint32_t *)(void *)at, (uint32_t)value, __ATOMIC_RELAXED);
  else
    __atomic_store_n((uint16_t *)(void *)at, (uint16_t)value, __ATOMIC_RELAXED);
}

/* Each thread on a CPU of its own, where there are two. */
static void settle(unsigned which) {
  static cpu_set_t allowed;
  static bool known;
  if (!known) {
    known = true;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
      CPU_ZERO(&allowed);
  }
  unsigned found = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&allowed) > 1; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || found++ != which)
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

/* The thread that changes what the other looks at. */
static void *change(void *unused) {
  (void)unused;
  settle(1);
  for (unsigned turn = 0; !__atomic_load_n(&now.stop, __ATOMIC_RELAXED); turn++) {
    if (now.way == SEEN) {
      now.function(now.dst, values[turn & 1] + (now.src - own), now.n);
    } else {
      for (size_t at = 0; at < now.n; at += now.word)
        store(now.src + at, now.word, turn & 1 ? ~UINT64_C(0) : 0);
    }
    if (turn % IN_A_ROW == IN_A_ROW - 1) {
      __atomic_store_n(&now.started, true, __ATOMIC_RELAXED);
      sched_yield();
    }
  }
  return NULL;
}

static void look(struct counts *counts, const unsigned char *at, uint64_t *half) {
  const uint64_t ones = now.word == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * now.word) - 1;
  uint64_t value = load(at, now.word);
  counts->looks++;
  if (value == 0) {
    counts->zeros++;
  } else if (value == ones) {
    counts->ones++;
  } else {
    counts->halves++;
    *half = value;
  }
}

/* One case: a function, a size, two places. */
static void run(struct counts *total, const char *name) {
  struct counts counts = {.cases = 1};
  uint64_t half = 0;
  pthread_t thread;
  memset(shared, 0, sizeof shared);
  memset(own, 0, sizeof own);
  now.started = now.stop = false;
  if (pthread_create(&thread, NULL, change, NULL) != 0) {
    perror("pthread_create");
    exit(1);
  }
  while (!__atomic_load_n(&now.started, __ATOMIC_RELAXED))
    sched_yield();
  unsigned before_yield = LOOKS_IN_A_ROW;
  while (counts.looks < LOOKS || (counts.looks < LOOKS_MOST && (counts.zeros == 0 || counts.ones == 0))) {
    if (now.way == TAKEN)
      now.function(now.dst, now.src, now.n);
    for (size_t at = 0; at < now.n; at += now.word)
      look(&counts, now.dst + at, &half);
    if (--before_yield == 0 || now.n > LINE) {
      before_yield = LOOKS_IN_A_ROW;
      sched_yield();
    }
  }
  __atomic_store_n(&now.stop, true, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  CHECK(counts.halves == 0,
        "copy.whole: %s: size %zu, dst mod 64 = %zu, src mod 64 = %zu, while another thread uses %s: %lu of %lu values "
        "of "
        "%zu bytes are in halves, as %#llx",
        name, now.n, (size_t)(uintptr_t)now.dst % LINE, (size_t)(uintptr_t)now.src % LINE, way_names[now.way],
        counts.halves, counts.looks, now.word, (unsigned long long)half);
  counts.blind = counts.zeros == 0 || counts.ones == 0;
  total->cases++;
  total->blind += counts.blind;
  if (counts.blind)
    return;
  total->looks += counts.looks;
  total->zeros += counts.zeros;
  total->ones += counts.ones;
}

static struct counts all;
static size_t least;

static void check_function(const char *name, fc_copy *function) {
  static const size_t sizes[] = {2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72, 136, LONGEST};
  struct counts total = {0};
  now.function = function;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    now.n = sizes[i];
    if (now.n < least)
      continue;
    for (now.word = sizeof(uintptr_t); now.n % now.word != 0;) /* no CPU promises more than its word */
      now.word /= 2;
    const size_t across = LINE - now.n / now.word / 2 % (LINE / now.word) * now.word;
    const size_t places[][2] = {
        {0, 0}, {now.word, 0}, {across, 3 * now.word}, {LINE - now.word, across}}; /* of destination and source */
    for (size_t place = 0; place < sizeof places / sizeof places[0]; place++) {
      for (now.way = SEEN; now.way < WAYS; now.way++) {
        now.dst = (now.way == SEEN ? shared : own) + places[place][0];
        now.src = (now.way == SEEN ? own : shared) + places[place][1];
        run(&total, name);
      }
    }
  }
  printf("%s: %lu observations, %lu zeros, %lu ones", name, total.looks, total.zeros, total.ones);
  if (total.blind != 0)
    printf("; %lu of %lu cases never met both values and are no evidence", total.blind, total.cases);
  printf("\n");
  all.cases += total.cases;
  all.blind += total.blind;
}

static void *swapped_bcopy(void *dst, const void *src, size_t n) {
  void (*volatile function)(const void *, void *, size_t) = bcopy;
  function(src, dst, n);
  return dst;
}

/* What the entries do below masked_below, where this CPU has the instructions. */
static void check_masked_entry(void) {
#ifdef __x86_64__
  const uint64_t needs = fc_params[FC_PARAM_masked_below].features;
  if ((check_cpu.features & needs) != needs) {
    check_skip("copy.whole: masked moves in the entries: this CPU has none");
    return;
  }
  check_live_writable();
  const size_t before = fc_live.params[FC_PARAM_masked_below];
  fc_live.params[FC_PARAM_masked_below] = fc_params[FC_PARAM_masked_below].highest;
  check_function("memcpy, masked in the entry", fc_entry_memcpy);
  fc_live.params[FC_PARAM_masked_below] = before;
#endif
}

int main(int argc, char **argv) {
  int first = check_begin(argc, argv);
  if (first < argc) {
    least = strtoul(argv[first], NULL, 10);
    check_skip("copy.whole: sizes below %zu: here the emulator moves them byte by byte, whatever the variant does",
               least);
  }
  settle(0);
  memset(values[1], 0xff, sizeof values[1]);
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    if (fc_variants[i].traits & FC_FORCED)
      continue;
    if (fc_variant_usable(i, &check_cpu))
      check_function(fc_variants[i].name, fc_variant_function(i));
    else
      check_skip("copy.whole: %s: this CPU has not all of %s", fc_variants[i].name, fc_variants[i].needs);
  }
  check_function("memcpy", fc_entry_memcpy);
  check_function("memmove", fc_entry_memmove);
  check_function("mempcpy", fc_entry_mempcpy);
  check_function("bcopy", swapped_bcopy);
  check_function("fastcopy_memcpy", fastcopy_memcpy);
  check_function("fastcopy_memmove", fastcopy_memmove);
  check_masked_entry();
  if (all.blind == all.cases) {
    printf("no case met both values: nothing is shown\n");
    return CHECK_SKIPPED;
  }
  return check_end();
}
