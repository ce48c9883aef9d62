/* SPDX-License-Identifier: MIT */
/* A writer of tuning tables for the tests: independent of the one that fastcopy-tune has, and able to write wrong ones. */
#ifndef MAKE_TABLE_H
#define MAKE_TABLE_H

#include "dispatch/table.h"

struct table_layout {
  unsigned version, header_size, entry_size;
  unsigned count;   /* that the header states */
  unsigned entries; /* that follow */
  size_t curves;    /* bytes after the entries */
};

/* As version 1 has it. */
struct table_layout table_layout(unsigned entries);
size_t table_size(const struct table_layout *layout);

/* CRC-32 by its definition, a bit at a time. */
uint32_t table_crc(const unsigned char *bytes, size_t size);
void table_store(unsigned char *bytes, uint64_t value, unsigned size);

/* Writes the CRC at the end of a record of `size` bytes. */
void table_seal(unsigned char *record, size_t size);

/* One entry of `size` bytes, sealed. */
void table_put_entry(unsigned char *raw, size_t size, const struct fc_table_entry *entry);

/* A whole table at `bytes`, which holds table_size() of them; layout->entries of them at `entries`. */
void table_put(unsigned char *bytes, const struct table_layout *layout, const struct fc_table_entry *entries);

#endif
