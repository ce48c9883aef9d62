/* SPDX-License-Identifier: MIT */
/*
 * Does a variant copy right? Every case is one call on memory whose neighbourhood is known: afterwards source,
 * destination and both surroundings are compared with what a loop over bytes makes of the same memory.
 *
 * usage: check_copy [--seed NUMBER] [--thin NUMBER] VARIANT | exported | huge
 * --thin takes one case in so many, for slow machines; the same seed takes the same ones.
 */
#define _GNU_SOURCE
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "dispatch/plan.h"
#include "dispatch/resolver.h"
#include "lib/fastcopy.h"

enum {
  SURROUNDINGS = 160, /* bytes on each side that are watched: more than two of the widest vectors */
  SMALL_END = 1024,   /* sizes 0 .. this are checked one by one */
  OVERLAP_END = 1200, /* the same for overlapping copies, with all distances that far */
  AREA_SIZE = 512 * 1024,
  LARGE = 64 * 1024 * 1024,
};

enum gives { GIVES_DST, GIVES_END, GIVES_KEPT, GIVES_NOTHING };

/* A function to be checked, and how its arguments and its result lie. */
struct subject {
  const char *name;
  void *function;
  enum gives gives;
  unsigned unit; /* bytes that n counts */
  bool swapped;  /* src first */
  bool room;     /* a fourth argument, the room at dst */
};

/* The least n in bytes that it takes. */
static size_t least(const struct subject *s) { return s->gives == GIVES_KEPT ? FC_SLOT_LEAST : 0; }

/* Memory under test and what it should hold, byte for byte. */
struct area {
  unsigned char *memory, *model;
  size_t size;
};

static const char *wanted; /* the argument: what is being checked */
static const char *set = "the plan's parameters";
static unsigned thinning = 1; /* one case in this many is taken, so that emulation ends in time */
static unsigned long cases;

/* Is a case of n bytes one of those to be taken? Under emulation the time goes with n. */
static bool take(unsigned one_in, size_t n) {
  if (thinning > 1)
    one_in *= thinning * (1 + (unsigned)(n / 128));
  return one_in == 1 || check_below(one_in) == 0;
}

/* The same for cases that count more: all of them, unless they are emulated. */
static bool take_often(unsigned one_in, size_t n) {
  return thinning == 1 || check_below(1 + one_in * (1 + n / 512) / 4) == 0;
}

static void complain(const struct subject *s, uintptr_t dst, uintptr_t src, size_t n, const char *what) {
  check_fail("copy.%s: %s: size %zu, dst mod 4096 = %zu, src mod 4096 = %zu, dst - src = %td, under \"%s\": %s", wanted,
             s->name, n, (size_t)dst % CHECK_PAGE, (size_t)src % CHECK_PAGE, (ptrdiff_t)(dst - src), set, what);
}

/* Calls the subject. n in bytes. Returns whether registers and result are as they should be. */
static bool call(const struct subject *s, void *dst, const void *src, size_t n) {
  const uintptr_t kept = (uintptr_t)0x5a5a00000000a5a5u;
  struct check_call c = {.function = s->function,
                         .arguments = {(uintptr_t)dst, (uintptr_t)src, n / s->unit, UINTPTR_MAX / 2},
                         .result_before = kept};
  if (s->swapped) {
    c.arguments[0] = (uintptr_t)src;
    c.arguments[1] = (uintptr_t)dst;
  }
  /* room that is just enough, or more */
  if (s->room)
    c.arguments[3] = n / s->unit + (check_random() & 1 ? 0 : (size_t)check_random() >> 1);
  cases++;
  const char *broken = check_call(&c);
  if (broken != NULL) {
    complain(s, (uintptr_t)dst, (uintptr_t)src, n, broken);
    return false;
  }
  uintptr_t expected = s->gives == GIVES_DST ? (uintptr_t)dst : s->gives == GIVES_END ? (uintptr_t)dst + n : kept;
  if (s->gives != GIVES_NOTHING && c.result != expected) {
    char text[64];
    snprintf(text, sizeof text, "returns dst + %td", (ptrdiff_t)(c.result - (uintptr_t)dst));
    complain(s, (uintptr_t)dst, (uintptr_t)src, n, text);
    return false;
  }
  return true;
}

struct window {
  size_t from, to;
};

static struct window around(const struct area *area, size_t at, size_t n) {
  struct window window = {at > SURROUNDINGS ? at - SURROUNDINGS : 0, at + n + SURROUNDINGS};
  if (window.to > area->size)
    window.to = area->size;
  return window;
}

static void refill(const struct area *area, struct window window) {
  check_fill(area->memory + window.from, area->model + window.from, window.to - window.from);
}

static bool compare(const struct subject *s, const struct area *area, struct window window, const struct area *dst_area,
                    size_t dst, const void *src, size_t n) {
  if (memcmp(area->memory + window.from, area->model + window.from, window.to - window.from) == 0)
    return true;
  size_t at = window.from;
  while (area->memory[at] == area->model[at])
    at++;
  char text[128];
  if (area != dst_area)
    snprintf(text, sizeof text, "changes the source or its surroundings");
  else if (at < dst)
    snprintf(text, sizeof text, "writes %zu bytes before dst", dst - at);
  else if (at >= dst + n)
    snprintf(text, sizeof text, "writes %zu bytes after the end of dst", at - (dst + n) + 1);
  else
    snprintf(text, sizeof text, "byte %zu is %#x, not %#x", at - dst, area->memory[at], area->model[at]);
  complain(s, (uintptr_t)dst_area->memory + dst, (uintptr_t)src, n, text);
  return false;
}

/* One case, from offset `src` of one area to offset `dst` of another or the same. */
static void one(const struct subject *s, const struct area *to, size_t dst, const struct area *from, size_t src,
                size_t n) {
  n -= n % s->unit;
  if (n < least(s))
    return;
  struct window dst_window = around(to, dst, n), src_window = around(from, src, n);
  if (to == from && dst_window.from <= src_window.to && src_window.from <= dst_window.to) {
    if (src_window.from < dst_window.from)
      dst_window.from = src_window.from;
    if (src_window.to > dst_window.to)
      dst_window.to = src_window.to;
    src_window = (struct window){0, 0};
  }
  refill(from, src_window);
  refill(to, dst_window);
  check_move_bytes(to->model + dst, from->model + src, n);
  if (call(s, to->memory + dst, from->memory + src, n) && compare(s, to, dst_window, to, dst, from->memory + src, n))
    compare(s, from, src_window, to, dst, from->memory + src, n);
}

static struct area arena, guarded_a, guarded_b;

static void make_area(struct area *area, size_t size) {
  area->size = size;
  area->memory = check_guarded(size);
  area->model = check_guarded(size);
}

/* Two places in the arena for n bytes that do not overlap, at the given alignments. */
static void apart(const struct subject *s, size_t n, size_t dst_align, size_t src_align) {
  size_t room = (n + 64 + 2 * SURROUNDINGS + CHECK_PAGE) / CHECK_PAGE * CHECK_PAGE;
  size_t low = CHECK_PAGE + 64 * check_below(64), high = low + room + 64 * check_below(3 * 64);
  if (check_random() & 1)
    one(s, &arena, low + dst_align, &arena, high + src_align, n);
  else
    one(s, &arena, high + dst_align, &arena, low + src_align, n);
}

/* At a distance, dst - src, at a random place. */
static void at_distance(const struct subject *s, size_t n, ptrdiff_t distance) {
  size_t low = CHECK_PAGE + check_below(64) + check_below(2) * check_below(CHECK_PAGE);
  if (distance >= 0)
    one(s, &arena, low + (size_t)distance, &arena, low, n);
  else
    one(s, &arena, low, &arena, low + (size_t)-distance, n);
}

/* Size classes end at multiples of the vector: all of them, and their neighbours. */
static bool near_bound(size_t n) {
  for (size_t bound = 16; bound <= SMALL_END; bound *= 2) {
    if (n + 1 >= bound && n <= bound + 1)
      return true;
  }
  return false;
}

/* D4: every size with alignments of both pointers; all 64 x 64 of them at the bounds of size classes. */
static void small_sizes(const struct subject *s, size_t from, unsigned one_in) {
  for (size_t n = from; n <= SMALL_END; n++) {
    for (size_t i = 0; i < 64; i++) {
      if (take(one_in, n))
        apart(s, n, i, check_below(64));
      if (take(one_in, n))
        apart(s, n, check_below(64), i);
    }
    for (size_t i = 0; near_bound(n) && i < 64 * 64; i++) {
      if (take(4 * one_in, n))
        apart(s, n, i / 64, i % 64);
    }
    /* whatever was thinned out, each size has had a few */
    for (size_t i = 0; i < 4; i++) {
      if (take_often(one_in, n))
        apart(s, n, check_below(64), check_below(64));
    }
  }
}

static void small_sizes_full(const struct subject *s) {
  small_sizes(s, 0, 1);
  if (thinning > 1)
    return;
  for (size_t n = 0; n <= SMALL_END; n++) {
    for (size_t i = 0; near_bound(n) && i < 64 * 64; i++)
      apart(s, n, i / 64, i % 64);
  }
}

/* Sizes beyond small ones where code or parameters decide something, and their neighbours. */
static size_t decisive[4096];
static size_t decisive_count;

static void find_decisive(size_t lowest, size_t highest) {
  static const int neighbours[] = {-257, -129, -128, -65, -64, -63, -33, -32, -17, -16, -1,  0,  1,
                                   16,   17,   32,   33,  63,  64,  65,  128, 129, 255, 256, 257};
  decisive_count = 0;
  for (size_t i = 0; i < 64 + FC_PARAM_COUNT; i++) {
    size_t bound = i < 64 ? (size_t)(1ull << i) : fc_live.params[i - 64];
    for (size_t k = 0; k < sizeof neighbours / sizeof neighbours[0]; k++) {
      size_t n = bound + (size_t)(ptrdiff_t)neighbours[k];
      if (bound <= 2 * highest && n >= lowest && n <= highest && decisive_count < sizeof decisive / sizeof decisive[0])
        decisive[decisive_count++] = n;
    }
  }
}

static void decisive_sizes(const struct subject *s, unsigned one_in) {
  find_decisive(200, 40 * 1024);
  for (size_t i = 0; i < decisive_count; i++) {
    size_t n = decisive[i];
    unsigned cost = n < SMALL_END ? one_in : one_in * (1 + (unsigned)(n / 4096));
    for (size_t k = 0; k < 64; k++) {
      if (take(cost, n))
        apart(s, n, k, check_below(64));
      if (take(cost, n))
        apart(s, n, check_below(64), k);
      /* rep movsb and aliasing rules look at the distance within a page */
      if (take(cost, n))
        at_distance(s, n, (ptrdiff_t)((n / CHECK_PAGE + 1) * CHECK_PAGE + 16 * k + check_below(16)));
      if (take(cost, n))
        at_distance(s, n, -(ptrdiff_t)((n / CHECK_PAGE + 1) * CHECK_PAGE + 64 * k));
    }
    /* regions that touch, that share a byte, that share all but one */
    for (int k = -2; k <= 2; k++) {
      if (take_often(one_in, n))
        at_distance(s, n, (ptrdiff_t)n + k);
      if (take_often(one_in, n))
        at_distance(s, n, -(ptrdiff_t)n + k);
      if (take_often(one_in, n))
        at_distance(s, n, k);
    }
  }
}

/* D3, D2: all distances of all sizes. */
static void overlaps(const struct subject *s, unsigned one_in) {
  for (size_t n = 0; n <= OVERLAP_END; n++) {
    for (ptrdiff_t distance = -OVERLAP_END; distance <= OVERLAP_END; distance++) {
      if (take(one_in, n))
        at_distance(s, n, distance);
    }
  }
}

/* Beyond the small sizes, where loops run over what they have just written. */
static void large_overlaps(const struct subject *s, unsigned one_in) {
  find_decisive(OVERLAP_END, 72 * 1024);
  for (size_t i = 0; i < decisive_count; i++) {
    size_t n = decisive[i];
    unsigned cost = one_in * (1 + (unsigned)(n / 4096));
    if (take_often(one_in, n))
      at_distance(s, n, (ptrdiff_t)check_below(641) - 320);
    for (ptrdiff_t distance = -320; distance <= 320; distance++) {
      if (take(4 * cost, n))
        at_distance(s, n, distance);
    }
    for (unsigned k = 0; k < 32; k++) {
      if (take(cost, n))
        at_distance(s, n, (ptrdiff_t)check_below(n) - (ptrdiff_t)check_below(n));
    }
  }
}

/* D7: dst == src. */
static void same_place(const struct subject *s) {
  for (size_t n = 0; n <= 2 * SMALL_END; n++)
    at_distance(s, n, 0);
  find_decisive(SMALL_END, 72 * 1024);
  for (size_t i = 0; i < decisive_count; i++) {
    if (take(1, decisive[i]))
      at_distance(s, decisive[i], 0);
  }
}

/* D8: n = 0 touches nothing, wherever the pointers lead. */
static void nothing(const struct subject *s) {
  unsigned char *outside = guarded_a.memory - 1; /* not accessible */
  void *const places[] = {NULL,
                          guarded_a.memory,
                          outside,
                          outside + 1 + guarded_a.size,
                          (void *)(uintptr_t)1,
                          (void *)UINTPTR_MAX,
                          (void *)(UINTPTR_MAX / 2 + 1),
                          (void *)(UINTPTR_MAX / 2 / 0x10000 + 1)};
  const unsigned count = sizeof places / sizeof places[0];
  for (unsigned i = 0; least(s) == 0 && i < count * count; i++)
    call(s, places[i / count], places[i % count], 0);
}

/* D4, D9: regions that begin or end where memory ends. */
static void at_the_edge(const struct subject *s, size_t n, size_t from_edge) {
  const size_t end = guarded_a.size - n - from_edge;
  size_t inside = check_below(CHECK_PAGE);
  one(s, &guarded_a, from_edge, &guarded_b, from_edge, n);
  one(s, &guarded_a, end, &guarded_b, end, n);
  one(s, &guarded_a, from_edge, &guarded_b, end, n);
  one(s, &guarded_a, end, &guarded_b, from_edge, n);
  if (thinning > 1)
    return;
  one(s, &guarded_a, end, &guarded_b, inside, n);
  one(s, &guarded_a, inside, &guarded_b, end, n);
  one(s, &guarded_a, from_edge, &guarded_b, inside, n);
  one(s, &guarded_a, inside, &guarded_b, from_edge, n);
}

static void edges(const struct subject *s, unsigned one_in) {
  for (size_t n = 0; n <= 300; n++) {
    if (take_often(one_in, n))
      at_the_edge(s, n, 0);
    for (size_t from_edge = 1; from_edge < 128; from_edge++) {
      if (take(one_in, n))
        at_the_edge(s, n, from_edge);
    }
  }
  find_decisive(301, 40 * 1024);
  for (size_t i = 0; i < decisive_count; i++) {
    if (take_often(one_in, decisive[i]))
      at_the_edge(s, decisive[i], 0);
    for (size_t k = 0; k < 8; k++) {
      if (take(one_in, decisive[i]))
        at_the_edge(s, decisive[i], check_below(128));
    }
  }
  /* overlapping copies that fill an area to the last byte */
  for (size_t n = 0; n <= 600; n++) {
    for (size_t k = 0; k < 16; k++) {
      if (!take(one_in, n))
        continue;
      size_t by = check_below(n + 1);
      one(s, &guarded_a, 0, &guarded_a, by, n);
      one(s, &guarded_a, by, &guarded_a, 0, n);
      one(s, &guarded_a, guarded_a.size - n, &guarded_a, guarded_a.size - n - by, n);
      one(s, &guarded_a, guarded_a.size - n - by, &guarded_a, guarded_a.size - n, n);
    }
  }
}

static void at_random(const struct subject *s, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    size_t n = check_below((size_t)2 << check_below(thinning > 1 ? 12 : 17));
    if (check_random() & 1)
      at_distance(s, n, (ptrdiff_t)check_below(n + 200) - (ptrdiff_t)check_below(n + 200));
    else
      apart(s, n, check_below(64), check_below(64));
  }
}

/* D6: sizes that no cache holds, each ending where memory ends. */
static void large_sizes(const struct subject *s) {
  static unsigned char *a, *b;
  const size_t shift = CHECK_PAGE + 4;
  if (a == NULL) {
    a = check_guarded(LARGE + CHECK_PAGE);
    b = check_guarded(LARGE + CHECK_PAGE);
  }
  for (size_t less = 0; less <= CHECK_PAGE; less += CHECK_PAGE - 1) {
    size_t n = LARGE + CHECK_PAGE - less;
    unsigned char *dst = a + less, *src = b + less;
    check_fill(dst, src, n);
    for (size_t i = 0; i < n; i += 512)
      dst[i] ^= 0x55;
    dst[n - 1] ^= 0x55;
    if (call(s, dst, src, n) && memcmp(dst, src, n) != 0)
      complain(s, (uintptr_t)dst, (uintptr_t)src, n, "copies wrong");
    if (call(s, dst, dst, n) && memcmp(dst, src, n) != 0)
      complain(s, (uintptr_t)dst, (uintptr_t)dst, n, "copies wrong");
    /* down and up, over itself */
    if (call(s, dst, dst + shift, n - shift) && memcmp(dst, src + shift, n - shift) != 0)
      complain(s, (uintptr_t)dst, (uintptr_t)dst + shift, n - shift, "copies wrong");
    if (call(s, src + shift, src, n - shift) &&
        (memcmp(src + shift, src, shift) != 0 || memcmp(src + 2 * shift, dst, n - 2 * shift) != 0))
      complain(s, (uintptr_t)src + shift, (uintptr_t)src, n - shift, "copies wrong");
  }
  madvise(a, LARGE, MADV_DONTNEED);
  madvise(b, LARGE, MADV_DONTNEED);
}

static size_t plan_params[FC_PARAM_COUNT];

static void under(const struct check_params *params) {
  set = params != NULL ? params->name : "the plan's parameters";
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    fc_live.params[i] = params != NULL ? params->values[i] : plan_params[i];
}

/* One parameter after the other at its bounds, the others as the plan has them. */
static void bounds_of_params(const struct subject *s) {
  static struct check_params at_bound;
  for (unsigned i = 0; i < 2 * FC_PARAM_COUNT; i++) {
    const struct fc_param *param = &fc_params[i / 2];
    if ((param->features & ~check_cpu.features) != 0)
      continue;
    memcpy(at_bound.values, plan_params, sizeof plan_params);
    at_bound.name = param->name;
    at_bound.values[i / 2] = i % 2 == 0 ? param->lowest : param->highest;
    under(&at_bound);
    at_random(s, 2000 / thinning);
    decisive_sizes(s, 64);
  }
}

static void check_variant(unsigned variant) {
  const struct subject subjects[] = {
      {"memmove", (void *)fc_variant_function(variant), GIVES_DST, 1, false, false},
      {"mempcpy", (void *)fc_variant_mempcpy(variant), GIVES_END, 1, false, false},
      {"body", fc_variant_body(variant), FC_SLOT_KEEPS ? GIVES_KEPT : GIVES_DST, 1, false, false},
  };
  const struct check_params *sets;
  unsigned count = arch_params(&sets);
  for (unsigned i = 0; i < 3; i++) {
    const struct subject *s = &subjects[i];
    bool first = i == 0;
    under(NULL);
    nothing(s);
    edges(s, first ? 4 : 32);
    same_place(s);
    if (first) {
      small_sizes_full(s);
      overlaps(s, thinning > 1 ? 8 : 1);
    } else {
      small_sizes(s, 0, 32);
      overlaps(s, 64);
    }
    if (thinning == 1)
      large_sizes(s);
    for (unsigned k = 0; k < count; k++) {
      under(&sets[k]);
      small_sizes(s, 200, first ? 16 : 64);
      decisive_sizes(s, first ? 4 : 16);
      overlaps(s, first ? 64 : 256);
      large_overlaps(s, first ? 2 : 8);
      edges(s, 64);
      same_place(s);
      at_random(s, 4000 / thinning);
    }
    bounds_of_params(s);
  }
}

/* What the compiler calls in fortified programs; no header declares them. */
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
wchar_t *__wmemcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemmove_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmempcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);

/* A name that programs see, and the slot behind it: 0 memcpy's, 1 memmove's, 2 none of them. */
struct exported {
  struct subject subject;
  unsigned slot;
};

static const struct exported exported[] = {
    {{"memcpy", (void *)memcpy, GIVES_DST, 1, false, false}, 0},
    {{"memmove", (void *)memmove, GIVES_DST, 1, false, false}, 1},
    {{"mempcpy", (void *)mempcpy, GIVES_END, 1, false, false}, 0},
    {{"__mempcpy", (void *)__mempcpy, GIVES_END, 1, false, false}, 0},
    {{"bcopy", (void *)bcopy, GIVES_NOTHING, 1, true, false}, 1},
    {{"wmemcpy", (void *)wmemcpy, GIVES_DST, sizeof(wchar_t), false, false}, 0},
    {{"wmemmove", (void *)wmemmove, GIVES_DST, sizeof(wchar_t), false, false}, 1},
    {{"wmempcpy", (void *)wmempcpy, GIVES_END, sizeof(wchar_t), false, false}, 0},
    {{"__memcpy_chk", (void *)__memcpy_chk, GIVES_DST, 1, false, true}, 0},
    {{"__memmove_chk", (void *)__memmove_chk, GIVES_DST, 1, false, true}, 1},
    {{"__mempcpy_chk", (void *)__mempcpy_chk, GIVES_END, 1, false, true}, 0},
    {{"__wmemcpy_chk", (void *)__wmemcpy_chk, GIVES_DST, sizeof(wchar_t), false, true}, 0},
    {{"__wmemmove_chk", (void *)__wmemmove_chk, GIVES_DST, sizeof(wchar_t), false, true}, 1},
    {{"__wmempcpy_chk", (void *)__wmempcpy_chk, GIVES_END, sizeof(wchar_t), false, true}, 0},
    {{"fastcopy_memcpy", (void *)fastcopy_memcpy, GIVES_DST, 1, false, false}, 2},
    {{"fastcopy_memmove", (void *)fastcopy_memmove, GIVES_DST, 1, false, false}, 2},
    {{"fastcopy_mempcpy", (void *)fastcopy_mempcpy, GIVES_END, 1, false, false}, 2},
};
#define EXPORTED_COUNT (sizeof exported / sizeof exported[0])

/* Does each name jump through the slot that it should? */
static void check_slots(void) {
  void *const memcpy_slot = fc_live.memcpy_slot, *const memmove_slot = fc_live.memmove_slot;
  static unsigned char from[4096], to[4096];
  fc_live.memcpy_slot = fc_slot(&fc_live.memcpy_slot, arch_spy(0));
  fc_live.memmove_slot = fc_slot(&fc_live.memmove_slot, arch_spy(1));
  fc_entry_small_off(fc_live.params);
  for (size_t i = 0; i < EXPORTED_COUNT; i++) {
    const struct exported *e = &exported[i];
    unsigned long before[2] = {arch_spy_calls[0], arch_spy_calls[1]};
    if (e->slot == 2)
      continue;
    call(&e->subject, to, from, (FC_SLOT_LEAST + 3) / 4 * 4);
    call(&e->subject, to, from, (FC_SLOT_LEAST + 3) / 4 * 4 + 4);
    call(&e->subject, to, from, sizeof to);
    for (size_t n = 0; n + 4 <= FC_SLOT_LEAST; n += 4)
      call(&e->subject, to, from, n);
    unsigned long through[2] = {arch_spy_calls[0] - before[0], arch_spy_calls[1] - before[1]};
    CHECK(through[e->slot] == 3 && through[1 - e->slot] == 0,
          "copy.%s: %s: 3 calls large enough, %lu through the slot of memcpy, %lu through that of memmove", wanted,
          e->subject.name, through[0], through[1]);
  }
  under(NULL);
  fc_live.memcpy_slot = memcpy_slot;
  fc_live.memmove_slot = memmove_slot;
}

/* The resolver chose, and the slots and the direct names follow it. */
static void check_published(void) {
  const struct fc_plan *plan = &fc_report.plan;
  CHECK(fc_report.published, "copy.%s: the resolver has not run", wanted);
  CHECK(fc_live.memcpy_slot == fc_slot(&fc_live.memcpy_slot, fc_variant_body(plan->memcpy_variant)) &&
            fc_live.memmove_slot == fc_slot(&fc_live.memmove_slot, fc_variant_body(plan->memmove_variant)),
        "copy.%s: the slots do not hold the variants of the plan", wanted);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    CHECK(fc_live.params[i] == plan->params[i], "copy.%s: %s in force is not the plan's", wanted, fc_params[i].name);
  if (!fc_entry_small(plan->params)) {
    CHECK(fc_resolve_memcpy() == (void *)fc_variant_function(plan->memcpy_variant) &&
              fc_resolve_memmove() == (void *)fc_variant_function(plan->memmove_variant) &&
              fc_resolve_mempcpy() == (void *)fc_variant_mempcpy(plan->memcpy_variant),
          "copy.%s: the direct names resolve to something else than the plan's variants", wanted);
  }
  /* compilers may take two names for two functions without looking */
  void *const volatile names[] = {(void *)memcpy, (void *)memmove, (void *)mempcpy, (void *)__mempcpy};
  void *const volatile entries[] = {(void *)fc_entry_memcpy, (void *)fc_entry_memmove, (void *)fc_entry_mempcpy,
                                    (void *)fc_entry_mempcpy};
  for (unsigned i = 0; i < 4; i++)
    CHECK(names[i] == entries[i], "copy.%s: %s is bound to another library", wanted, exported[i].subject.name);
}

static void check_exported(void) {
  const struct check_params *sets;
  unsigned count = arch_params(&sets);
  for (size_t i = 0; i < EXPORTED_COUNT; i++) {
    const struct subject *s = &exported[i].subject;
    under(NULL);
    nothing(s);
    edges(s, 32);
    same_place(s);
    small_sizes(s, 0, 32);
    overlaps(s, 64);
    for (unsigned k = 0; k < count; k++) {
      under(&sets[k]);
      decisive_sizes(s, 64);
      large_overlaps(s, 32);
      at_random(s, 500 / thinning);
    }
  }
}

/* The path for small sizes in the entries themselves: at its highest, and switched on below some small size. */
static void check_entry_path(void) {
  static struct check_params on;
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    size_t params[FC_PARAM_COUNT];
    memcpy(params, plan_params, sizeof params);
    fc_entry_small_off(params);
    params[i] = fc_params[i].highest;
    if (!fc_entry_small(params))
      continue;
    uint64_t missing = fc_params[i].features & ~check_cpu.features;
    uint64_t emulated = missing != 0 ? arch_emulate(missing) : 0;
    if ((missing & ~emulated) != 0) {
      check_skip("copy.%s: the entries' own small path: this CPU lacks features of %s", wanted, fc_params[i].name);
      continue;
    }
    if (missing != 0) {
      printf("the entries' own small path (%s) runs under emulation, with fewer cases\n", fc_params[i].name);
      thinning *= 16;
    }
    unsigned long before = arch_emulated();
    const size_t values[] = {fc_params[i].highest, fc_params[i].lowest + 1, fc_params[i].highest / 2};
    for (unsigned k = 0; k < sizeof values / sizeof values[0]; k++) {
      memcpy(on.values, params, sizeof params);
      on.values[i] = values[k];
      on.name = fc_params[i].name;
      for (size_t e = 0; e < EXPORTED_COUNT; e++) {
        const struct subject *s = &exported[e].subject;
        if (exported[e].slot == 2)
          continue;
        under(&on);
        nothing(s);
        for (size_t n = 0; n <= 200; n++) {
          at_the_edge(s, n, 0);
          apart(s, n, check_below(64), check_below(64));
          for (ptrdiff_t distance = -80; n <= 80 && distance <= 80; distance++) {
            if (take(8, n))
              at_distance(s, n, distance);
          }
        }
        under(NULL);
      }
    }
    CHECK(missing == 0 || arch_emulated() > before, "copy.%s: nothing was emulated: the small path did not run",
          wanted);
    if (missing != 0)
      thinning /= 16;
  }
}

/*
 * More than 4 GiB in a few hundred MB of memory: one file of 64 MiB, mapped many times. The pages where a size or
 * an offset cut to 32 bits would show are memory of their own.
 */
enum { ISLAND = 64 * 1024 };
static const size_t huge = (size_t)((4ull << 30) + 5);

static unsigned char *map_huge(size_t size) {
  int file = memfd_create("huge", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, LARGE) != 0)
    return NULL;
  size = (size + LARGE - 1) / LARGE * LARGE;
  unsigned char *memory = mmap(NULL, size + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  /* islands are cut out at their multiples */
  memory += -(uintptr_t)memory % LARGE;
  for (size_t at = 0; at < size; at += LARGE) {
    if (mmap(memory + at, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      return NULL;
  }
  close(file);
  return memory;
}

static unsigned char *make_island(unsigned char *at) {
  unsigned char *start = (unsigned char *)((uintptr_t)at / ISLAND * ISLAND);
  if (mmap(start, ISLAND, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return start;
}

static size_t memory_available(void) {
  char line[128];
  size_t available = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "MemAvailable: %zu kB", &available) == 1)
      break;
  }
  if (file != NULL)
    fclose(file);
  return available * 1024;
}

static int check_huge(void) {
  if (sizeof(size_t) == 4) {
    printf("SKIPPED copy.%s: addresses have 32 bits\n", wanted);
    return CHECK_SKIPPED;
  }
  if (memory_available() < (size_t)600 << 20) {
    printf("SKIPPED copy.%s: less than 600 MB of memory are available\n", wanted);
    return CHECK_SKIPPED;
  }
  unsigned char *src = map_huge(huge + LARGE), *dst = map_huge(huge + LARGE);
  if (src == NULL || dst == NULL) {
    printf("SKIPPED copy.%s: 8 GiB of addresses are not to be had\n", wanted);
    return CHECK_SKIPPED;
  }
  const struct subject *s = &exported[0].subject;
  const size_t places[] = {0, (size_t)1 << 31, (size_t)3 << 30, (size_t)(1ull << 32)};
  unsigned char *islands[4];
  check_fill(src, src, LARGE);
  for (unsigned i = 0; i < 4; i++)
    islands[i] = make_island(dst + places[i]);

  if (call(s, dst, src, huge)) {
    if (memcmp(dst + LARGE, src, LARGE) != 0)
      complain(s, (uintptr_t)dst, (uintptr_t)src, huge, "copies wrong");
    for (unsigned i = 0; i < 4; i++) {
      size_t at = (size_t)(islands[i] - dst), length = huge - at < ISLAND ? huge - at : ISLAND;
      if (memcmp(islands[i], src + at, length) != 0)
        complain(s, (uintptr_t)dst, (uintptr_t)src, huge, "does not reach everything");
      for (; length < ISLAND; length++) {
        if (islands[i][length] != 0) {
          complain(s, (uintptr_t)dst, (uintptr_t)src, huge, "writes after the end of dst");
          break;
        }
      }
    }
  }
  /* over itself, up by one whole mapping, so that each byte of the file is copied to where it lies */
  s = &exported[1].subject;
  unsigned char *last = make_island(src + huge + LARGE - 1);
  unsigned char before[4096];
  memcpy(before, src, sizeof before);
  if (call(s, src + LARGE, src, huge)) {
    if (memcmp(src, before, sizeof before) != 0 || memcmp(src, dst + LARGE, LARGE) != 0)
      complain(s, (uintptr_t)src + LARGE, (uintptr_t)src, huge, "copies wrong");
    if (memcmp(last, src, 5) != 0 || last[5] != 0)
      complain(s, (uintptr_t)src + LARGE, (uintptr_t)src, huge, "does not reach everything, or too far");
  }
  return check_end();
}

int main(int argc, char **argv) {
  int first = check_begin(argc, argv);
  if (first + 1 < argc && strcmp(argv[first], "--thin") == 0) {
    thinning = (unsigned)strtoul(argv[first + 1], NULL, 0);
    first += 2;
  }
  if (first != argc - 1 || thinning == 0) {
    fprintf(stderr, "usage: check_copy [--seed NUMBER] [--thin NUMBER] VARIANT | exported | huge\n");
    return 2;
  }
  wanted = argv[first];
  if (thinning > 1)
    printf("thinned: one case in %u of those of a few bytes, fewer of the longer ones; no copies of %d MB\n", thinning,
           LARGE >> 20);
  make_area(&arena, AREA_SIZE);
  make_area(&guarded_a, 128 * 1024);
  make_area(&guarded_b, 128 * 1024);
  check_live_writable();
  memcpy(plan_params, fc_live.params, sizeof plan_params);

  if (strcmp(wanted, "huge") == 0)
    return check_huge();
  if (strcmp(wanted, "exported") == 0) {
    check_published();
    check_slots();
    check_exported();
    check_entry_path();
    printf("%lu cases\n", cases);
    return check_end();
  }
  unsigned variant = fc_variant_find(wanted);
  if (variant == FC_VARIANT_COUNT) {
    fprintf(stderr, "check_copy: there is no variant %s\n", wanted);
    return 2;
  }
  uint64_t missing = fc_variants[variant].features & ~check_cpu.features;
  if (missing != 0) {
    uint64_t emulated = arch_emulate(missing);
    if ((missing & ~emulated) != 0) {
      printf("SKIPPED copy.%s: it needs %s, and this CPU lacks some of them\n", wanted, fc_variants[variant].needs);
      return CHECK_SKIPPED;
    }
    printf("copy.%s runs under emulation, with fewer cases: this CPU lacks some of %s\n", wanted,
           fc_variants[variant].needs);
    thinning *= 16;
  }
  check_variant(variant);
  printf("%lu cases", cases);
  if (missing != 0)
    printf(", %lu instructions emulated", arch_emulated());
  printf("\n");
  CHECK(missing == 0 || arch_emulated() > cases / 2, "copy.%s: hardly an instruction was emulated", wanted);
  return check_end();
}
