/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 100 }; /* a cycle */

struct way {
  uint64_t line; /* address / size of a line */
  uint64_t used; /* LRU: when */
  bool valid;
  bool dirty;
};

struct buffer {
  uint64_t line;
  uint64_t done; /* when the data is there */
  bool busy;
};

struct model {
  struct model_params params;
  struct model_totals totals;
  uint64_t started;  /* when the totals were set to 0 */
  uint64_t now;      /* ticks, as all times here */
  uint64_t bus_free; /* when the bus is */
  uint64_t clock;    /* of LRU */
  struct way *ways;  /* sets * ways */
  uint32_t *trees;   /* PLRU: a bit a node from bit 1 on, set where the victim is on the right */
  struct buffer touch[MODEL_BUFFERS_MOST];
  struct buffer miss[MODEL_BUFFERS_MOST];
};

/* Parameters. */

static const struct preset {
  char name[16];
  struct model_params params;
} presets[] = {
    /* 16 KB. Calibrated by two equations, not validated: see model.h. */
    {"e300c3",
     {.line = 32,
      .sets = 128,
      .ways = 4,
      .policy = MODEL_PLRU,
      .fill = 55,
      .writeback = 24,
      .dcbz = 12,
      .compute = 100,
      .touch = 1,
      .mhz = 333}},
    /* 512 KB of L2. Guesses, but for the cache's shape. */
    {"POWER9",
     {.line = 128,
      .sets = 512,
      .ways = 8,
      .policy = MODEL_LRU,
      .fill = 32,
      .latency = 300,
      .writeback = 32,
      .dcbz = 4,
      .compute = 33,
      .touch = 16,
      .misses = 16,
      .mhz = 3800}},
};

static const struct field {
  char name[12];
  size_t offset;
  unsigned lowest, highest;
} fields[] = {
    {"line", offsetof(struct model_params, line), 8, 4096},
    {"sets", offsetof(struct model_params, sets), 1, 1 << 20},
    {"ways", offsetof(struct model_params, ways), 1, MODEL_WAYS_MOST},
    {"fill", offsetof(struct model_params, fill), 0, 100000},
    {"latency", offsetof(struct model_params, latency), 0, 100000},
    {"writeback", offsetof(struct model_params, writeback), 0, 100000},
    {"dcbz", offsetof(struct model_params, dcbz), 0, 100000},
    {"compute", offsetof(struct model_params, compute), 0, 100000},
    {"touch", offsetof(struct model_params, touch), 1, MODEL_BUFFERS_MOST},
    {"hold", offsetof(struct model_params, hold), 0, 1},
    {"misses", offsetof(struct model_params, misses), 0, MODEL_BUFFERS_MOST},
    {"mhz", offsetof(struct model_params, mhz), 1, 100000},
};

static bool power_of_two(unsigned n) { return n != 0 && (n & (n - 1)) == 0; }

static const char *judge(const struct model_params *params) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    unsigned value;
    memcpy(&value, (const char *)params + fields[i].offset, sizeof value);
    if (value < fields[i].lowest || value > fields[i].highest)
      return "a value is out of bounds";
  }
  if (!power_of_two(params->line) || !power_of_two(params->sets))
    return "line and sets must be powers of two";
  if (params->policy != MODEL_LRU && (params->policy != MODEL_PLRU || !power_of_two(params->ways)))
    return "the policy is lru, or plru with a power of two of ways";
  return NULL;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && strncmp(text, word, length) == 0;
}

static const char *set_field(struct model_params *params, const char *text, size_t length) {
  const char *equals = memchr(text, '=', length);
  if (equals == NULL)
    return "neither a preset nor name=value";
  size_t name = (size_t)(equals - text);
  const char *value = equals + 1;
  if (is_word(text, name, "policy")) {
    length -= name + 1;
    if (!is_word(value, length, "lru") && !is_word(value, length, "plru"))
      return "the policy is lru or plru";
    params->policy = is_word(value, length, "lru") ? MODEL_LRU : MODEL_PLRU;
    return NULL;
  }
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (!is_word(text, name, fields[i].name))
      continue;
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || end != text + length || errno != 0 || number > fields[i].highest)
      return "a value is no number, or out of bounds";
    unsigned stored = (unsigned)number;
    memcpy((char *)params + fields[i].offset, &stored, sizeof stored);
    return NULL;
  }
  return "no parameter has that name";
}

const char *model_parse(struct model_params *params, const char *text) {
  bool found = false;
  size_t length = strcspn(text, ",");
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    if (is_word(text, length, presets[i].name)) {
      *params = presets[i].params;
      found = true;
    }
  }
  if (!found)
    return "no preset has that name; there are e300c3 and POWER9";
  while (text[length] != '\0') {
    text += length + 1;
    length = strcspn(text, ",");
    const char *wrong = set_field(params, text, length);
    if (wrong != NULL)
      return wrong;
  }
  return judge(params);
}

struct model *model_new(const struct model_params *params) {
  if (judge(params) != NULL)
    return NULL;
  struct model *model = calloc(1, sizeof *model);
  if (model == NULL)
    return NULL;
  model->params = *params;
  model->ways = calloc((size_t)params->sets * params->ways, sizeof *model->ways);
  model->trees = calloc(params->sets, sizeof *model->trees);
  if (model->ways == NULL || model->trees == NULL) {
    model_free(model);
    return NULL;
  }
  return model;
}

void model_free(struct model *model) {
  if (model == NULL)
    return;
  free(model->ways);
  free(model->trees);
  free(model);
}

/* The cache. */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static unsigned set_of(const struct model *model, uint64_t line) { return (unsigned)(line & (model->params.sets - 1)); }

static struct way *ways_of(const struct model *model, uint64_t line) {
  return &model->ways[(size_t)set_of(model, line) * model->params.ways];
}

/* This way is the most recent one. */
static void use(struct model *model, uint64_t line, unsigned way) {
  ways_of(model, line)[way].used = ++model->clock;
  uint32_t *tree = &model->trees[set_of(model, line)];
  unsigned node = 1;
  for (unsigned half = model->params.ways / 2; half > 0; half /= 2) {
    bool right = (way & half) != 0;
    *tree = right ? *tree & ~(1u << node) : *tree | 1u << node;
    node = 2 * node + right;
  }
}

static unsigned victim(const struct model *model, uint64_t line) {
  const struct way *ways = ways_of(model, line);
  unsigned oldest = 0;
  for (unsigned i = 0; i < model->params.ways; i++) {
    if (!ways[i].valid)
      return i;
    if (ways[i].used < ways[oldest].used)
      oldest = i;
  }
  if (model->params.policy == MODEL_LRU)
    return oldest;
  uint32_t tree = model->trees[set_of(model, line)];
  unsigned node = 1;
  while (node < model->params.ways)
    node = 2 * node + (tree >> node & 1);
  return node - model->params.ways;
}

static struct way *find(struct model *model, uint64_t line) {
  struct way *ways = ways_of(model, line);
  for (unsigned i = 0; i < model->params.ways; i++) {
    if (ways[i].valid && ways[i].line == line) {
      use(model, line, i);
      return &ways[i];
    }
  }
  return NULL;
}

/* Puts a line in and a victim out, which the bus is busy with from `start` on if it was dirty. */
static struct way *install(struct model *model, uint64_t line, uint64_t start) {
  unsigned chosen = victim(model, line);
  struct way *way = &ways_of(model, line)[chosen];
  if (way->valid && way->dirty) {
    model->bus_free = later(model->bus_free, start) + (uint64_t)model->params.writeback * TICKS;
    model->totals.writebacks++;
  }
  *way = (struct way){.line = line, .valid = true};
  use(model, line, chosen);
  return way;
}

/* The bus and the buffers. */

/* Moves the lines that have arrived into the cache, in the order of their arrival. */
static void retire(struct model *model) {
  while (!model->params.hold) {
    struct buffer *first = NULL;
    for (unsigned i = 0; i < model->params.touch; i++) {
      struct buffer *buffer = &model->touch[i];
      if (buffer->busy && buffer->done <= model->now && (first == NULL || buffer->done < first->done))
        first = buffer;
    }
    if (first == NULL)
      return;
    first->busy = false;
    install(model, first->line, first->done);
  }
}

/* The program waits until the bus is free; what arrives meanwhile may need the bus again. */
static void wait_for_bus(struct model *model) {
  do {
    model->now = later(model->now, model->bus_free);
    retire(model);
  } while (model->bus_free > model->now);
}

static struct buffer *earliest(struct buffer *buffers, unsigned count) {
  struct buffer *first = &buffers[0];
  for (unsigned i = 0; i < count; i++) {
    if (!buffers[i].busy)
      return &buffers[i];
    if (buffers[i].done < first->done)
      first = &buffers[i];
  }
  return first;
}

/* The line, wanted now for a load, a store or a dcbz: `cycles` of the bus, and `latency` until the answer is there. */
static struct way *request(struct model *model, uint64_t line, unsigned cycles, unsigned latency) {
  if (model->params.misses == 0) {
    wait_for_bus(model);
    struct way *way = install(model, line, model->now);
    model->bus_free = later(model->bus_free, model->now) + (uint64_t)cycles * TICKS;
    model->now = model->bus_free + (uint64_t)latency * TICKS;
    return way;
  }
  struct buffer *buffer = earliest(model->miss, model->params.misses);
  if (buffer->busy)
    model->now = later(model->now, buffer->done);
  retire(model);
  struct way *way = install(model, line, model->now);
  model->bus_free = later(model->bus_free, model->now) + (uint64_t)cycles * TICKS;
  *buffer = (struct buffer){.line = line, .done = model->bus_free + (uint64_t)latency * TICKS, .busy = true};
  return way;
}

static struct buffer *touched(struct model *model, uint64_t line) {
  for (unsigned i = 0; i < model->params.touch; i++) {
    if (model->touch[i].busy && model->touch[i].line == line)
      return &model->touch[i];
  }
  return NULL;
}

static void access_line(struct model *model, uint64_t line, bool store) {
  retire(model);
  struct way *way = find(model, line);
  if (way == NULL) {
    struct buffer *buffer = touched(model, line);
    if (buffer != NULL) {
      /* out-of-order cores go on without the data */
      if (model->params.misses == 0)
        model->now = later(model->now, buffer->done);
      /* those that arrived before it go first */
      retire(model);
      way = find(model, line);
      if (way == NULL) {
        buffer->busy = false;
        way = install(model, line, model->now);
        if (model->params.misses == 0)
          wait_for_bus(model);
      }
    } else {
      model->totals.fills++;
      way = request(model, line, model->params.fill, model->params.latency);
    }
  }
  way->dirty |= store;
}

static void access_range(struct model *model, uint64_t address, size_t size, bool store) {
  if (size == 0)
    return;
  uint64_t last = (address + size - 1) / model->params.line;
  for (uint64_t line = address / model->params.line; line <= last; line++)
    access_line(model, line, store);
}

void model_instruction(struct model *model) {
  model->totals.instructions++;
  model->now += model->params.compute;
}

void model_load(struct model *model, uint64_t address, size_t size) { access_range(model, address, size, false); }

void model_store(struct model *model, uint64_t address, size_t size) { access_range(model, address, size, true); }

void model_dcbz(struct model *model, uint64_t address) {
  uint64_t line = address / model->params.line;
  retire(model);
  struct buffer *buffer = touched(model, line);
  if (buffer != NULL) {
    /* read in vain */
    model->totals.wasted++;
    model->now = later(model->now, buffer->done);
    if (model->params.hold)
      buffer->busy = false;
    retire(model);
  }
  struct way *way = find(model, line);
  if (way == NULL) {
    model->totals.broadcasts++;
    way = request(model, line, model->params.dcbz, 0);
  }
  way->dirty = true;
}

void model_dcbt(struct model *model, uint64_t address) {
  uint64_t line = address / model->params.line;
  retire(model);
  if (find(model, line) != NULL || touched(model, line) != NULL)
    return;
  struct buffer *buffer = earliest(model->touch, model->params.touch);
  if (buffer->busy) {
    model->now = later(model->now, buffer->done);
    if (model->params.hold)
      model->totals.wasted++;
    retire(model);
  }
  model->totals.touches++;
  model->bus_free = later(model->bus_free, model->now) + (uint64_t)model->params.fill * TICKS;
  *buffer =
      (struct buffer){.line = line, .done = model->bus_free + (uint64_t)model->params.latency * TICKS, .busy = true};
}

/* Results. */

struct model_totals model_totals(const struct model *model) {
  struct model_totals totals = model->totals;
  totals.ticks = model->now - model->started;
  return totals;
}

void model_restart(struct model *model) {
  model->totals = (struct model_totals){0};
  model->started = model->now;
}

uint64_t model_dirty(const struct model *model) {
  uint64_t dirty = 0;
  for (size_t i = 0; i < (size_t)model->params.sets * model->params.ways; i++)
    dirty += model->ways[i].valid && model->ways[i].dirty;
  return dirty;
}

void model_forget(struct model *model) {
  memset(model->ways, 0, (size_t)model->params.sets * model->params.ways * sizeof *model->ways);
  memset(model->trees, 0, model->params.sets * sizeof *model->trees);
  memset(model->touch, 0, sizeof model->touch);
  memset(model->miss, 0, sizeof model->miss);
  model->bus_free = model->now;
}

const struct model_params *model_params(const struct model *model) { return &model->params; }

uint64_t model_bus_bytes(const struct model_params *params, const struct model_totals *totals) {
  return (totals->fills + totals->touches + totals->writebacks) * params->line;
}

double model_rate(const struct model_params *params, uint64_t bytes, uint64_t ticks) {
  return ticks == 0 ? 0 : (double)bytes * params->mhz * TICKS / (double)ticks;
}
