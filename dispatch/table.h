/* SPDX-License-Identifier: MIT */
/*
 * The tuning table as a file: fastcopy-table(5) has the format in prose. Integers are little-endian.
 * The reader is fed the file in pieces of any size and keeps what belongs to one CPU signature; it is
 * a pure function of those bytes, so that the resolver, fastcopy-tune and the tests share it.
 */
#ifndef FC_TABLE_H
#define FC_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/cpu.h"

#pragma GCC visibility push(hidden)

#define FC_TABLE_VERSION 1
#define FC_TABLE_PARAMS 12 /* places for parameters in an entry; an architecture may use fewer */

enum {
  /* header */
  FC_HEADER_MAGIC = 0,        /* 8 bytes */
  FC_HEADER_VERSION = 8,      /* u16 */
  FC_HEADER_SIZE = 10,        /* u16: bytes of the header, the CRC last */
  FC_HEADER_ENTRY_SIZE = 12,  /* u16: bytes of an entry, the CRC last */
  FC_HEADER_ENTRY_COUNT = 14, /* u16 */
  FC_HEADER_CURVES = 16,      /* u64: offset of the curves in the file, 0 when there are none */
  FC_HEADER_CURVES_SIZE = 24, /* u64: compressed bytes */
  FC_HEADER_CURVES_RAW = 32,  /* u64: bytes after inflating */
  FC_HEADER_CURVES_CRC = 40,  /* u32: CRC-32 of the compressed bytes */
  FC_HEADER_BYTES = 64,       /* of version 1; 44..59 are zero */
  /* entry */
  FC_ENTRY_ARCH = 0,          /* u32: enum fc_arch */
  FC_ENTRY_CPU = 4,           /* u32: fc_cpu.id */
  FC_ENTRY_FEATURE_HASH = 8,  /* u64 */
  FC_ENTRY_MEMCPY = 16,       /* char[24], NUL-terminated */
  FC_ENTRY_MEMMOVE = 40,      /* char[24] */
  FC_ENTRY_PARAMS = 64,       /* u64[FC_TABLE_PARAMS] in the order of params.def */
  FC_ENTRY_TIME = 160,        /* u64: seconds since 1970, of the calibration */
  FC_ENTRY_TOOL = 168,        /* char[16]: version of fastcopy-tune */
  FC_ENTRY_CPU_NAME = 184,    /* char[48]: for people */
  FC_ENTRY_PARAM_COUNT = 232, /* u32: how many of the params are set */
  FC_ENTRY_GAIN = 236,        /* u32: measured cost of the built-in plan over this plan's, in thousandths */
  FC_ENTRY_BYTES = 256,       /* of version 1; 240..251 are zero */
  FC_ENTRY_KEY_BYTES = 16,    /* what tells whose entry it is */
  FC_NAME_BYTES = 24,
  /* bounds that the reader insists on */
  FC_HEADER_BYTES_MAX = 1024,
  FC_ENTRY_BYTES_MAX = 1024,
  FC_ENTRY_COUNT_MAX = 4096,
};

extern const unsigned char fc_table_magic[8];

struct fc_table_entry {
  struct fc_cpu cpu; /* features: not in the file, left 0 */
  uint64_t feature_hash;
  char memcpy_variant[FC_NAME_BYTES];
  char memmove_variant[FC_NAME_BYTES];
  uint64_t params[FC_TABLE_PARAMS];
  uint32_t param_count;
  uint32_t gain;
  uint64_t time;
  char tool[16];
  char cpu_name[48];
};

enum fc_table_status {
  FC_TABLE_MATCH,       /* an entry for this CPU, intact */
  FC_TABLE_NOT_ASKED,   /* none was looked for */
  FC_TABLE_ABSENT,      /* no such file */
  FC_TABLE_UNREADABLE,  /* open or read failed */
  FC_TABLE_UNTRUSTED,   /* secure process: not owned by root, or others may write it */
  FC_TABLE_BAD_MAGIC,   /* not a tuning table */
  FC_TABLE_BAD_VERSION, /* a version this reader does not know */
  FC_TABLE_BAD_LENGTH,  /* truncated, or sizes out of bounds */
  FC_TABLE_BAD_CRC,     /* the header, or the entry of this CPU, is damaged */
  FC_TABLE_NO_ENTRY,    /* intact, but nothing for this CPU */
  FC_TABLE_STATUS_COUNT
};

struct fc_table_scan {
  uint32_t arch, id;
  uint64_t feature_hash;
  enum fc_table_status status; /* final once `done` */
  int done;
  unsigned entry_size; /* 0 while the header is being read */
  unsigned entries_left;
  unsigned filled, wanted; /* bytes of the record in `record` */
  unsigned skip;           /* bytes of a foreign entry still to come */
  unsigned char record[FC_ENTRY_BYTES_MAX];
  struct fc_table_entry entry;
};

void fc_table_begin(struct fc_table_scan *scan, const struct fc_cpu *cpu);
/* Takes the next `size` bytes of the file; no more are needed once scan->done. */
void fc_table_feed(struct fc_table_scan *scan, const unsigned char *bytes, size_t size);
/* The file ended: settles scan->status. scan->entry is valid only with FC_TABLE_MATCH. */
enum fc_table_status fc_table_end(struct fc_table_scan *scan);

/* zlib's CRC-32, continued from `crc` (0 to start). */
uint32_t fc_crc32(uint32_t crc, const unsigned char *bytes, size_t size);
uint64_t fc_load_le(const unsigned char *bytes, unsigned size);
/* raw: FC_ENTRY_BYTES of them. */
void fc_entry_decode(struct fc_table_entry *entry, const unsigned char *raw);

#pragma GCC visibility pop

#endif
