/* SPDX-License-Identifier: MIT */
/*
 * The table of a report of 2008 on copies by small PowerPCs: two areas, one copied to the other chunk after chunk, as a
 * network stack or a file system does it. A row for each size of the chunks.
 */
#ifndef TUNE_CHUNKS_H
#define TUNE_CHUNKS_H

#include <stddef.h>

#define CHUNKS_AREA ((size_t)256 * 1024)

/* Powers of two, and the payload of an Ethernet frame. */
#define CHUNKS_SIZES \
  { 16, 32, 64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192, 16384, 32768, 65536 }

struct bench;
struct identity;

/* Measures and prints MB/s (of 10^6 bytes copied). Returns an exit code. */
int bench_chunks(const struct bench *bench, const struct identity *identity);

#endif
