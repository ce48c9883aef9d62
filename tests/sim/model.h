/* SPDX-License-Identifier: MIT */
/*
 * A model of one data cache and the bus behind it, fed with the instructions and accesses of a program.
 *
 * In order: every instruction takes `compute`; what it accesses may then have to wait. Of the bus the model knows that
 * it does one thing at a time. Instruction fetches, address translation and branches cost nothing.
 *
 *   load, store   a hit is free. A miss writes a dirty victim back and fills the line (stores allocate). A blocking
 *                 cache does both while the program waits; another one queues them in a miss buffer, and the program
 *                 waits only where no buffer is free
 *   dcbz          a hit is free. A miss writes a dirty victim back and broadcasts the address; nothing is read
 *   dcbt          a line that is absent is read into a touch buffer while the program goes on; loads and stores of
 *                 other lines that hit go on too. Where no buffer is free the dcbt waits for one. A line that has
 *                 arrived moves into the cache and frees its buffer; with `hold` it stays in the buffer until it is
 *                 asked for, and a further dcbt that needs the buffer throws out the oldest line that has arrived
 *
 * What the presets' figures are worth:
 *   e300c3   of the MPC8313 at 333 MHz. Cache and touch buffer are the manual's. fill, writeback, dcbz and compute are
 *            calibrated by two measured figures, 69 MB/s for a copy by words and 97 MB/s for one with dcbt and dcbz:
 *            155 and 110 cycles a line. Two equations for four unknowns; it is calibration, not validation. The manual
 *            of a core before it can be read as `hold`; the 97 MB/s, with dcbt four lines ahead, speak against that
 *   POWER9   the L2 cache of one core. Neither calibrated nor validated: its bus transfers mean something, its
 *            cycles only compare one run with another.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_policy { MODEL_LRU, MODEL_PLRU };

enum { MODEL_WAYS_MOST = 16, MODEL_BUFFERS_MOST = 64 };

/* Times are cycles of the core. */
struct model_params {
  unsigned line;    /* bytes, a power of two */
  unsigned sets;    /* a power of two */
  unsigned ways;    /* at most MODEL_WAYS_MOST; a power of two under MODEL_PLRU */
  unsigned policy;  /* enum model_policy */
  unsigned fill;    /* the bus, to read a line */
  unsigned latency; /* from there until the data is in the core */
  unsigned writeback;
  unsigned dcbz;    /* the bus, to broadcast the address */
  unsigned compute; /* hundredths of a cycle an instruction */
  unsigned touch;   /* touch buffers, 1 .. MODEL_BUFFERS_MOST */
  unsigned hold;    /* 1: a touched line stays in its buffer until it is asked for */
  unsigned misses;  /* miss buffers; 0: the cache blocks */
  unsigned mhz;     /* of the core, for figures in MB/s */
};

/*
 * Reads "preset" or "preset,name=value,...": the names are those of the fields, policy is lru or plru.
 * Returns NULL, or what is wrong, as a constant phrase.
 */
const char *model_parse(struct model_params *params, const char *text);

struct model_totals {
  uint64_t instructions;
  uint64_t ticks;      /* hundredths of a cycle */
  uint64_t fills;      /* lines read for a load or a store */
  uint64_t touches;    /* lines read for a dcbt */
  uint64_t wasted;     /* of these, thrown away before they were asked for */
  uint64_t writebacks; /* lines written */
  uint64_t broadcasts;
};

struct model;

/* NULL: not enough memory, or params that model_parse() would not give. */
struct model *model_new(const struct model_params *params);
void model_free(struct model *model);

/* One instruction; its accesses follow. */
void model_instruction(struct model *model);
void model_load(struct model *model, uint64_t address, size_t size);
void model_store(struct model *model, uint64_t address, size_t size);
void model_dcbz(struct model *model, uint64_t address);
void model_dcbt(struct model *model, uint64_t address);

/* Totals since the last model_restart(), which leaves the cache and what is under way as they are. */
struct model_totals model_totals(const struct model *model);
void model_restart(struct model *model);

/* Dirty lines in the cache: what is still to be written. */
uint64_t model_dirty(const struct model *model);
/* An empty cache and an idle bus. Nothing is counted. */
void model_forget(struct model *model);

const struct model_params *model_params(const struct model *model);

/* Bytes over the bus in both directions, addresses not counted. */
uint64_t model_bus_bytes(const struct model_params *params, const struct model_totals *totals);
/* MB/s, a million bytes, of a copy of `bytes` that took `ticks`. */
double model_rate(const struct model_params *params, uint64_t bytes, uint64_t ticks);

#endif
