/* SPDX-License-Identifier: MIT */
/*
 * Who the CPU is, for people: what the CPU says (arch/identity.h; libcpuid on x86_64) with known mistakes caught. Never
 * decides what may be executed.
 */
#ifndef TUNE_IDENTITY_H
#define TUNE_IDENTITY_H

#include <stddef.h>

enum cache_source {
  CACHE_UNKNOWN,
  CACHE_LIBCPUID, /* libcpuid's value, plausible */
  CACHE_KERNEL,   /* /sys/devices/system/cpu */
  CACHE_MEASURED, /* an edge of the measured working-set curve */
  CACHE_DEFAULT,  /* nothing plausible was reported: a fixed assumption */
};

struct cache_size {
  size_t bytes; /* per instance; 0 only with CACHE_UNKNOWN */
  enum cache_source source;
};

struct identity {
  char name[48];   /* "AMD EPYC 9B45", from the brand string; never empty */
  char vendor[16]; /* "AuthenticAMD" */
  /* CACHE_DEFAULT where both reports were zero or absurd; the smaller of two plausible ones */
  struct cache_size l1d, l2, l3;
  char doubts[256]; /* one phrase per value that was not believed and why; "" when there are none */
};

void identity_read(struct identity *identity);
const char *cache_source_text(enum cache_source source);

/* Pure: settles one cache size from two reports (0 = none). lowest and highest: plausible range in bytes. */
struct cache_size cache_size_settle(size_t from_libcpuid, size_t from_kernel, size_t lowest, size_t highest,
                                    size_t fallback);

#endif
