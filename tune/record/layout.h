/* SPDX-License-Identifier: MIT */
/*
 * The file of counters that all processes of a recording map: a header, the shared block, then blocks that threads
 * claim. fastcopy-tune record makes it and removes it; nobody keeps one.
 */
#ifndef RECORD_LAYOUT_H
#define RECORD_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Names the file to the recording library. */
#define RECORD_VARIABLE "FASTCOPY_RECORD"
#define RECORD_MAGIC 0x3164726f63657266u

/*
 * What is counted of the calls of one function with a size of one class. "Before" is the call of any function of the
 * family that the same thread made last.
 */
enum record_counter {
  RECORD_CALLS,
  RECORD_BYTES,
  RECORD_SAME,    /* as many bytes as before */
  RECORD_STEADY,  /* as many bytes as the last call from the same place in the program */
  RECORD_AGAIN,   /* source and destination of before: most likely written and read in between */
  RECORD_USED,    /* else, the copy of before is used: it is the source, or copied over from elsewhere */
  RECORD_OVERLAP, /* source and destination overlap */
  RECORD_ALIGNED, /* both at a multiple of 16 */
  RECORD_COUNTERS
};

/* Classes: each size up to 64, then four to every power of two; the last one has no end. */
enum { RECORD_EXACT = 64, RECORD_LAST_POWER = 31, RECORD_CLASSES = RECORD_EXACT + 1 + 4 * (RECORD_LAST_POWER - 6 + 1) };

static inline unsigned record_class(size_t n) {
  if (n <= RECORD_EXACT)
    return (unsigned)n;
  unsigned power = 8 * sizeof(unsigned long) - 1 - (unsigned)__builtin_clzl(n);
  if (power > RECORD_LAST_POWER)
    return RECORD_CLASSES - 1;
  return RECORD_EXACT + 1 + 4 * (power - 6) + (unsigned)(n >> (power - 2) & 3);
}

/* The smallest size of a class; that of the one behind the last is the end of the last for people. */
static inline uint64_t record_class_low(unsigned class) {
  if (class <= RECORD_EXACT + 1)
    return class;
  unsigned above = class - RECORD_EXACT - 1;
  return (uint64_t)(4 + above % 4) << (above / 4 + 4);
}

enum record_function { RECORD_MEMCPY, RECORD_MEMMOVE, RECORD_FUNCTIONS };

enum { RECORD_BLOCKS = 1024, RECORD_SITES = 512 };

/* A call touches one cache line of the counters, and one of the sites. */
struct record_block {
  uint64_t counts[RECORD_FUNCTIONS][RECORD_CLASSES][RECORD_COUNTERS];
  uint64_t sites[RECORD_SITES]; /* by a hash of the place that called last: place and size in one number */
};

struct record_file {
  uint64_t magic;
  uint64_t size;      /* of this structure as the writer knows it */
  uint64_t processes; /* that mapped it */
  uint64_t claimed;   /* blocks; of more than there are, the rest count in the shared one */
  char up_to_a_line[64 - 4 * sizeof(uint64_t)];
  struct record_block shared; /* by atomic additions */
  struct record_block blocks[RECORD_BLOCKS];
};

#endif
