/* SPDX-License-Identifier: MIT */
#include "scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tune.h"

#define PAGE ((size_t)4096)
#define SLACK ((size_t)64) /* room for the 8-byte stores and loads around short copies */
#define TIGHT_CALLS 32     /* of PLACE_TIGHT, before the buffers move: few lines are cold in the whole */
#define BLOCK 1024         /* operations that hold the distribution's sizes in true proportion, at most */
#define BLOCK_BYTES ((size_t)1 << 22)

int arena_open(struct arena *arena, size_t size) {
  /* whole huge pages, so that the luck of physical placement does not change from run to run */
  size = (size + (1u << 21) - 1) & ~(((size_t)1 << 21) - 1);
  arena->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (arena->memory == MAP_FAILED) {
    tune_error("cannot get %zu MB of memory for the buffers: %s", size >> 20, strerror(errno));
    *arena = (struct arena){0};
    return -1;
  }
  arena->size = size;
  madvise(arena->memory, size, MADV_HUGEPAGE);
  struct random random = {1};
  for (size_t at = 0; at < size; at += sizeof(uint64_t))
    *(uint64_t *)(arena->memory + at) = random_next(&random);
  return 0;
}

void arena_close(struct arena *arena) {
  if (arena->memory != NULL)
    munmap(arena->memory, arena->size);
  *arena = (struct arena){0};
}

size_t arena_for(size_t working_set) { return working_set + 8 * PAGE; }

/* The size at position u (0..1) of the cumulated shares. */
static size_t size_at(const struct scenario *scenario, double total, double u) {
  double left = u * total;
  size_t i = 0;
  for (; i + 1 < scenario->band_count && left >= scenario->bands[i].share; i++)
    left -= scenario->bands[i].share;
  const struct band *band = &scenario->bands[i];
  double part = band->share > 0 ? left / band->share : 0;
  size_t n = band->low + (size_t)(part * (double)(band->high - band->low + 1));
  return n > band->high ? band->high : n;
}

static size_t below(struct random *random, size_t bound) { return bound == 0 ? 0 : random_next(random) % bound; }

/* shift: where in its page a destination of PLACE_TIGHT lies. */
static void place(struct operation *op, const struct scenario *scenario, size_t room, size_t shift,
                  struct random *random) {
  size_t n = op->n, free_room = room - n;
  op->src = (uint32_t)below(random, free_room + 1);
  switch (scenario->place) {
  case PLACE_APART:
  case PLACE_SHARED:
    op->dst = (uint32_t)below(random, free_room + 1);
    break;
  case PLACE_PAGES:
    op->src -= op->src % PAGE;
    op->dst = (uint32_t)(below(random, free_room + 1) / PAGE * PAGE);
    break;
  case PLACE_SKEWED: {
    /* the bases are a multiple of a page apart, the buffers a page longer than the room */
    size_t skew;
    do
      skew = scenario->skew_low + below(random, scenario->skew_high - scenario->skew_low);
    while (skew % 64 == 0);
    size_t dst = below(random, free_room + 1);
    op->dst = (uint32_t)(dst / PAGE * PAGE + (op->src + skew) % PAGE);
    break;
  }
  case PLACE_NEAR: {
    size_t distance = n < 2 ? 0 : 1 + below(random, n - 1);
    size_t up = distance > free_room ? free_room : distance;
    size_t low = below(random, free_room - up + 1);
    int forward = (int)(random_next(random) & 1);
    op->src = (uint32_t)(forward ? low : low + up);
    op->dst = (uint32_t)(forward ? low + up : low);
    break;
  }
  case PLACE_ABOVE:
  case PLACE_BELOW: {
    size_t distance = scenario->skew_low + below(random, scenario->skew_high - scenario->skew_low);
    distance = distance > free_room ? free_room : distance;
    size_t low = below(random, free_room - distance + 1);
    op->src = (uint32_t)(scenario->place == PLACE_ABOVE ? low : low + distance);
    op->dst = (uint32_t)(scenario->place == PLACE_ABOVE ? low + distance : low);
    break;
  }
  case PLACE_TIGHT:
    /* the destination has a page more than the room */
    op->dst = (uint32_t)(shift + below(random, free_room + 1));
    break;
  }
}

static int in_one_buffer(enum place place) {
  return place == PLACE_SHARED || place == PLACE_NEAR || place == PLACE_ABOVE || place == PLACE_BELOW;
}

int scenario_work(struct work *work, const struct scenario *scenario, const struct arena *arena, uint64_t seed) {
  struct random random = {seed};
  int shared = in_one_buffer(scenario->place);
  size_t room = shared ? scenario->working_set : scenario->working_set / 2;
  *work = (struct work){.count = scenario->operations, .next = scenario->next};
  if (arena_for(scenario->working_set) > arena->size || scenario->working_set > UINT32_MAX / 2)
    return -1;
  work->operations = calloc(work->count, sizeof *work->operations);
  if (work->operations == NULL)
    return -1;
  work->src = arena->memory + PAGE;
  work->dst = shared ? work->src : work->src + (room + 3 * PAGE) / PAGE * PAGE;

  double total = 0, mean = 0;
  size_t low = SIZE_MAX, high = 0;
  for (size_t i = 0; i < scenario->band_count; i++) {
    const struct band *band = &scenario->bands[i];
    total += band->share;
    mean += band->share * 0.5 * (double)(band->low + band->high);
    low = band->low < low ? band->low : low;
    high = band->high > high ? band->high : high;
  }
  mean = total > 0 ? mean / total : 0;
  size_t unit = BLOCK;
  while (unit > 16 && mean * (double)unit > (double)BLOCK_BYTES)
    unit /= 2;
  work->block = low == high ? 1 : unit < work->count ? unit : work->count;
  size_t bytes = 0, shift = 0;
  for (size_t start = 0; start < work->count; start += unit) {
    /* stratified: every block has the same mix of sizes, in an order of its own */
    size_t block = work->count - start < unit ? work->count - start : unit;
    struct operation *ops = work->operations + start;
    for (size_t i = 0; i < block; i++) {
      double u = ((double)i + random_unit(&random)) / (double)block;
      size_t n = size_at(scenario, total, u);
      size_t j = below(&random, i + 1);
      if (j != i)
        ops[i].n = ops[j].n;
      ops[j].n = (uint32_t)(n > room ? room : n);
    }
    for (size_t i = 0; i < block; i++) {
      if (scenario->place == PLACE_TIGHT && (start + i) % TIGHT_CALLS == 0)
        shift = below(&random, PAGE);
      place(&ops[i], scenario, room, shift, &random);
      bytes += ops[i].n;
    }
  }
  /* the caches and the predictor belong to whoever had the turn before: a hot working set is walked through first */
  mean = (double)bytes / (double)work->count;
  size_t pass = work->count <= BLOCK ? 2 * work->count : BLOCK;
  size_t walk = mean >= 1 ? (size_t)((double)scenario->working_set / mean) : pass;
  if (scenario->working_set > 2 << 20)
    walk = scenario->working_set > 64 << 20 ? 0 : 1;
  work->warm = mean < 1024 ? pass : walk;
  return 0;
}

void work_free(struct work *work) {
  free(work->operations);
  work->operations = NULL;
}
