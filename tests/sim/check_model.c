/* SPDX-License-Identifier: MIT */
/* Tests of the cache and bus model on traces that were worked out by hand; the figures stand beside the steps. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

static unsigned failures;
static unsigned checks;

__attribute__((format(printf, 2, 3))) static void check(bool condition, const char *format, ...) {
  checks++;
  if (condition)
    return;
  failures++;
  va_list arguments;
  va_start(arguments, format);
  printf("FAILED ");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
}

static struct model *start(const char *text) {
  struct model_params params;
  const char *wrong = model_parse(&params, text);
  struct model *model = wrong == NULL ? model_new(&params) : NULL;
  if (model == NULL) {
    printf("FAILED %s: %s\n", text, wrong == NULL ? "no model" : wrong);
    exit(1);
  }
  return model;
}

/* What the model should have counted so far. */
static void expect(struct model *model, const char *name, uint64_t cycles, uint64_t fills, uint64_t touches,
                   uint64_t writebacks, uint64_t broadcasts) {
  struct model_totals t = model_totals(model);
  check(t.ticks == 100 * cycles, "%s: %.2f cycles, not %llu", name, (double)t.ticks / 100, (unsigned long long)cycles);
  check(t.fills == fills, "%s: %llu fills, not %llu", name, (unsigned long long)t.fills, (unsigned long long)fills);
  check(t.touches == touches, "%s: %llu touches, not %llu", name, (unsigned long long)t.touches,
        (unsigned long long)touches);
  check(t.writebacks == writebacks, "%s: %llu write-backs, not %llu", name, (unsigned long long)t.writebacks,
        (unsigned long long)writebacks);
  check(t.broadcasts == broadcasts, "%s: %llu broadcasts, not %llu", name, (unsigned long long)t.broadcasts,
        (unsigned long long)broadcasts);
}

static void expect_dirty(struct model *model, const char *name, uint64_t dirty) {
  check(model_dirty(model) == dirty, "%s: %llu dirty lines, not %llu", name, (unsigned long long)model_dirty(model),
        (unsigned long long)dirty);
}

/* Instructions with one access each. */
static void load(struct model *model, uint64_t address) {
  model_instruction(model);
  model_load(model, address, 4);
}

static void store(struct model *model, uint64_t address) {
  model_instruction(model);
  model_store(model, address, 4);
}

static void zero(struct model *model, uint64_t address) {
  model_instruction(model);
  model_dcbz(model, address);
}

static void touch(struct model *model, uint64_t address) {
  model_instruction(model);
  model_dcbt(model, address);
}

static void other(struct model *model, unsigned count) {
  while (count-- > 0)
    model_instruction(model);
}

/* e300c3: fill 55, write-back 24, dcbz 12, an instruction 1; 32-byte lines, so that 4096 apart is the same set. */
enum { SET = 4096 };

static void test_reads(void) {
  struct model *model = start("e300c3");
  load(model, 0x1000); /* 1 + 55 */
  expect(model, "cold read", 56, 1, 0, 0, 0);
  for (unsigned i = 1; i < 8; i++)
    load(model, 0x1000 + 4 * i);
  expect(model, "the line's other words", 63, 1, 0, 0, 0);
  expect_dirty(model, "cold read", 0);
  model_instruction(model);
  model_load(model, 0x101e, 4); /* 0x1000's line and the next one: 1 + 55 */
  expect(model, "read over two lines", 119, 2, 0, 0, 0);
  model_instruction(model);
  model_load(model, 0x9000, 0);
  expect(model, "read of nothing", 120, 2, 0, 0, 0);
  model_restart(model);
  expect(model, "restart", 0, 0, 0, 0, 0);
  load(model, 0x1004);
  expect(model, "restart keeps the cache", 1, 0, 0, 0, 0);
  model_forget(model);
  load(model, 0x1004);
  expect(model, "forget does not", 57, 1, 0, 0, 0);
  model_free(model);
}

static void test_stores(void) {
  struct model *model = start("e300c3");
  store(model, 0x2000); /* the line is read: 1 + 55 */
  store(model, 0x2004);
  expect(model, "write-allocate", 57, 1, 0, 0, 0);
  expect_dirty(model, "write-allocate", 1);
  model_free(model);

  model = start("e300c3");
  store(model, 0);
  for (unsigned i = 1; i < 4; i++)
    load(model, i * SET);
  expect(model, "a set is full", 4 * 56, 4, 0, 0, 0);
  load(model, 4 * SET); /* the store's line goes: 1 + 24 + 55 */
  expect(model, "dirty eviction", 4 * 56 + 80, 5, 0, 1, 0);
  expect_dirty(model, "dirty eviction", 0);
  load(model, 5 * SET); /* a clean one goes */
  expect(model, "clean eviction", 5 * 56 + 80, 6, 0, 1, 0);
  model_free(model);
}

static void test_dcbz(void) {
  struct model *model = start("e300c3");
  zero(model, 0x3000); /* 1 + 12, no read */
  for (unsigned i = 0; i < 8; i++)
    store(model, 0x3000 + 4 * i);
  expect(model, "dcbz and 8 stores", 21, 0, 0, 0, 1);
  expect_dirty(model, "dcbz and 8 stores", 1);
  zero(model, 0x3010); /* present: the bus sees nothing */
  expect(model, "dcbz of a present line", 22, 0, 0, 0, 1);
  for (unsigned i = 1; i < 4; i++)
    zero(model, 0x3000 + i * SET);
  expect(model, "a set full by dcbz", 22 + 3 * 13, 0, 0, 0, 4);
  zero(model, 0x3000 + 4 * SET); /* 1 + 24 + 12 */
  expect(model, "dcbz evicts", 22 + 3 * 13 + 37, 0, 0, 1, 5);
  expect_dirty(model, "dcbz evicts", 4);
  model_free(model);
}

static void test_touch(void) {
  /* One buffer. Line A on the bus from 1 to 56, B waits for the buffer: until 56, on the bus to 111. */
  struct model *model = start("e300c3");
  touch(model, 0x100);
  expect(model, "one buffer: touch A", 1, 0, 1, 0, 0);
  touch(model, 0x200);
  expect(model, "one buffer: touch B", 56, 0, 2, 0, 0);
  load(model, 0x100);
  expect(model, "one buffer: load A", 57, 0, 2, 0, 0);
  load(model, 0x200);
  expect(model, "one buffer: load B", 111, 0, 2, 0, 0);
  touch(model, 0x200);
  expect(model, "one buffer: a line that is there", 112, 0, 2, 0, 0);
  model_free(model);

  /* Four buffers: nobody waits to touch, the bus does one line after the other. */
  model = start("e300c3,touch=4");
  for (unsigned i = 0; i < 4; i++)
    touch(model, 0x100 * i); /* arrive at 56, 111, 166, 221 */
  expect(model, "four buffers: touch", 4, 0, 4, 0, 0);
  touch(model, 0x100); /* under way already */
  expect(model, "four buffers: touch again", 5, 0, 4, 0, 0);
  load(model, 0x100);
  expect(model, "four buffers: load the second", 111, 0, 4, 0, 0);
  load(model, 0x000);
  expect(model, "four buffers: load the first", 112, 0, 4, 0, 0);
  touch(model, 0x400); /* two are free */
  expect(model, "four buffers: a fifth", 113, 0, 5, 0, 0);
  load(model, 0x700); /* a miss waits for the bus: 221 + 55 of the fifth, then its own 55 */
  expect(model, "a miss behind touches", 331, 1, 5, 0, 0);
  model_free(model);

  /* Hits go on while a line is touched, and the touch is hidden behind 60 instructions. */
  model = start("e300c3");
  load(model, 0x500);
  touch(model, 0x600);
  for (unsigned i = 0; i < 10; i++)
    load(model, 0x504);
  expect(model, "hits under a touch", 56 + 1 + 10, 1, 1, 0, 0);
  other(model, 60);
  load(model, 0x600);
  expect(model, "a touch that is over", 56 + 1 + 10 + 61, 1, 1, 0, 0);
  model_free(model);

  /* The victim of a touched line is written back when the line arrives: bus 4 * 56 + 1 + 55 + 24. */
  model = start("e300c3");
  store(model, 0);
  for (unsigned i = 1; i < 4; i++)
    load(model, i * SET);
  touch(model, 4 * SET);
  other(model, 55);
  load(model, 4 * SET);
  expect(model, "a touched line evicts", 4 * 56 + 57, 4, 1, 1, 0);
  load(model, 0x40); /* waits for the write-back: 4 * 56 + 1 + 55 + 24 + 55 */
  expect(model, "a miss behind a write-back", 4 * 56 + 1 + 55 + 24 + 55, 5, 1, 1, 0);
  model_free(model);

  /* A dcbz of a line that is being read waits for it, and then finds it there. */
  model = start("e300c3");
  touch(model, 0x800);
  zero(model, 0x800);
  expect(model, "dcbz of a touched line", 56, 0, 1, 0, 0);
  model_free(model);

  /* hold: B throws A out of the buffer, whether it was read or not. */
  model = start("e300c3,hold=1");
  touch(model, 0x100); /* bus to 56 */
  other(model, 60);
  touch(model, 0x200); /* at 62, bus to 117 */
  expect(model, "hold: touch B", 62, 0, 2, 0, 0);
  check(model_totals(model).wasted == 1, "hold: %llu wasted", (unsigned long long)model_totals(model).wasted);
  load(model, 0x200);
  expect(model, "hold: load B", 117, 0, 2, 0, 0);
  load(model, 0x100); /* read again */
  expect(model, "hold: load A", 117 + 56, 1, 2, 0, 0);
  touch(model, 0x300); /* B went into the cache when it was loaded: nothing is lost */
  check(model_totals(model).wasted == 1, "hold: %llu wasted after B", (unsigned long long)model_totals(model).wasted);
  model_free(model);
}

/* Lines 0..3 fill a set, line 0 is used again, 4 comes in: a tree gives up 2, true LRU 1. */
static void test_policy(void) {
  static const struct {
    const char *params;
    unsigned victim;
  } cases[] = {{"e300c3", 2}, {"e300c3,policy=plru", 2}, {"e300c3,policy=lru", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (unsigned line = 0; line < 4; line++) {
      struct model *model = start(cases[i].params);
      for (unsigned j = 0; j < 4; j++)
        load(model, j * SET);
      load(model, 0);
      load(model, 4 * SET);
      model_restart(model);
      load(model, line * SET);
      check(model_totals(model).fills == (line == cases[i].victim), "%s: line %u", cases[i].params, line);
      model_free(model);
    }
  }
  /* Without the use of line 0 between: both give up 0, and then, as the tree points to the other half, 2 (LRU: 1). */
  for (unsigned lru = 0; lru < 2; lru++) {
    struct model *model = start(lru ? "e300c3,policy=lru" : "e300c3");
    for (unsigned j = 0; j < 6; j++)
      load(model, j * SET);
    model_restart(model);
    load(model, (lru ? 2 : 1) * SET);
    load(model, 3 * SET);
    load(model, 4 * SET);
    load(model, 5 * SET);
    expect(model, lru ? "lru order" : "plru order", 4, 0, 0, 0, 0);
    model_free(model);
  }
  /* 8 ways: 0 .. 7, then 0, 4, 2: the tree points away from all three, to 6 and then its half's other side. */
  struct model *model = start("e300c3,ways=8,sets=64");
  for (unsigned j = 0; j < 8; j++)
    load(model, j * 2048);
  load(model, 0 * 2048);
  load(model, 4 * 2048);
  load(model, 2 * 2048);
  load(model, 8 * 2048);
  model_restart(model);
  load(model, 6 * 2048);
  check(model_totals(model).fills == 1, "plru of 8 ways: 6 is still there");
  model_free(model);
}

/* A cache that does not block: the program waits for buffers only. */
static void test_miss_buffers(void) {
  struct model *model = start("e300c3,misses=2,latency=100");
  load(model, 0x000); /* bus 1 .. 56, data at 156 */
  load(model, 0x100); /* bus 56 .. 111, data at 211 */
  expect(model, "two misses", 2, 2, 0, 0, 0);
  load(model, 0x200); /* a buffer at 156; bus to 211, data at 311 */
  expect(model, "a third miss", 156, 3, 0, 0, 0);
  load(model, 0x204);
  expect(model, "a hit under a miss", 157, 3, 0, 0, 0);
  model_free(model);

  model = start("POWER9");
  for (unsigned i = 0; i < 300; i++)
    load(model, i * 128);
  struct model_totals totals = model_totals(model);
  check(totals.fills == 300 && totals.ticks > 300 * 100, "POWER9: %llu fills", (unsigned long long)totals.fills);
  check(model_bus_bytes(model_params(model), &totals) == 300 * 128, "POWER9: bytes on the bus");
  model_free(model);
}

/*
 * The calibration of e300c3. Both loops are what the 2008 report measured, 20 instructions a line; two equations for
 * four figures. That the model gives them back shows that it does what its figures were solved for, and no more.
 */
enum { COPY = 65536, LINE = 32 };

static void copy_words(struct model *model, uint64_t dst, uint64_t src) {
  for (uint64_t at = 0; at < COPY; at += 8) {
    load(model, src + at);
    load(model, src + at + 4);
    store(model, dst + at);
    store(model, dst + at + 4);
    other(model, 1);
  }
}

static void copy_lines(struct model *model, uint64_t dst, uint64_t src) {
  for (uint64_t at = 0; at < COPY; at += LINE) {
    if (at + 4 * LINE < COPY)
      touch(model, src + at + 4 * LINE);
    else
      other(model, 1);
    zero(model, dst + at);
    for (uint64_t half = 0; half < LINE; half += 16) {
      for (uint64_t i = 0; i < 16; i += 4)
        load(model, src + at + half + i);
      for (uint64_t i = 0; i < 16; i += 4)
        store(model, dst + at + half + i);
    }
    other(model, 2);
  }
}

static void test_calibration(void) {
  static const struct {
    const char *name, *params;
    void (*copy)(struct model *model, uint64_t dst, uint64_t src);
    double cycles_low, cycles_high, rate, transfers;
  } cases[] = {
      /* 333e6 * 32 / 69e6 = 154.4; 333e6 * 32 / 97e6 = 109.9 */
      {"words", "e300c3", copy_words, 154, 155, 69, 3},
      {"dcbz", "e300c3", copy_lines, 109.5, 110.5, 97, 2},
      /* the same loop where a touch throws out the one before: 2 * 55 + 24 + 12 + 19, slower than words */
      {"dcbz, hold", "e300c3,hold=1", copy_lines, 164, 166, 65, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct model *model = start(cases[i].params);
    cases[i].copy(model, 0x200000, 0x100000);
    cases[i].copy(model, 0x210000, 0x110000);
    model_restart(model);
    cases[i].copy(model, 0x220000, 0x120000);
    struct model_totals totals = model_totals(model);
    double cycles = (double)totals.ticks / 100 / (COPY / LINE),
           rate = model_rate(model_params(model), COPY, totals.ticks);
    double transfers = (double)model_bus_bytes(model_params(model), &totals) / COPY;
    printf("calibration, not validation: %s: %.2f cycles a line, %.1f MB/s, %.3f bytes on the bus a byte\n",
           cases[i].name, cycles, rate, transfers);
    check(cycles >= cases[i].cycles_low && cycles <= cases[i].cycles_high, "%s: %.2f cycles a line", cases[i].name,
          cycles);
    check(rate > cases[i].rate - 0.5 && rate < cases[i].rate + 0.5, "%s: %.1f MB/s", cases[i].name, rate);
    check(transfers > cases[i].transfers - 0.01 && transfers < cases[i].transfers + 0.01, "%s: %.3f bytes a byte",
          cases[i].name, transfers);
    model_free(model);
  }
}

static void test_parse(void) {
  static const char *const wrong[] = {"",
                                      "e300",
                                      "e300c3,",
                                      "e300c3,fill",
                                      "e300c3,fill=",
                                      "e300c3,fill=-1",
                                      "e300c3,fill=1x",
                                      "e300c3,line=48",
                                      "e300c3,ways=3",
                                      "e300c3,ways=17",
                                      "e300c3,touch=0",
                                      "e300c3,hold=2",
                                      "e300c3,policy=random",
                                      "e300c3,mhz=0",
                                      "e300c3,fil=1",
                                      "fill=1",
                                      "e300c3,fill=99999999999999999999"};
  struct model_params params;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    check(model_parse(&params, wrong[i]) != NULL, "'%s' was taken", wrong[i]);
  check(model_parse(&params, "e300c3,fill=7,policy=lru,ways=3,touch=4") == NULL, "a right text was refused");
  check(params.fill == 7 && params.policy == MODEL_LRU && params.ways == 3 && params.touch == 4 &&
            params.writeback == 24,
        "a right text was misread");
  params.line = 33;
  check(model_new(&params) == NULL, "a wrong structure was taken");
  model_free(NULL);
}

int main(void) {
  test_reads();
  test_stores();
  test_dcbz();
  test_touch();
  test_policy();
  test_miss_buffers();
  test_calibration();
  test_parse();
  printf("%u checks, %u failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
