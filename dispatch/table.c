/* SPDX-License-Identifier: MIT */
/* Reader of the tuning table. Early code: no absolute relocation, no call outside. */
#include "dispatch/table.h"

const unsigned char fc_table_magic[8] = {0x89, 'F', 'C', 'T', '\r', '\n', 0x1a, '\n'};

/* Four bits a step: sixteen words of table against 256, for records of a few hundred bytes. */
static const uint32_t crc_nibble[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t fc_crc32(uint32_t crc, const unsigned char *bytes, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ crc_nibble[crc & 15];
    crc = crc >> 4 ^ crc_nibble[crc & 15];
  }
  return ~crc;
}

uint64_t fc_load_le(const unsigned char *bytes, unsigned size) {
  uint64_t value = 0;
  while (size-- > 0)
    value = value << 8 | bytes[size];
  return value;
}

/* A text field; whatever the file holds, the result ends in NUL. */
static void load_text(char *text, const unsigned char *raw, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    text[i] = (char)raw[i];
  text[size - 1] = '\0';
}

void fc_entry_decode(struct fc_table_entry *entry, const unsigned char *raw) {
  entry->cpu.arch = (uint32_t)fc_load_le(raw + FC_ENTRY_ARCH, 4);
  entry->cpu.id = (uint32_t)fc_load_le(raw + FC_ENTRY_CPU, 4);
  entry->cpu.features = 0;
  entry->feature_hash = fc_load_le(raw + FC_ENTRY_FEATURE_HASH, 8);
  load_text(entry->memcpy_variant, raw + FC_ENTRY_MEMCPY, FC_NAME_BYTES);
  load_text(entry->memmove_variant, raw + FC_ENTRY_MEMMOVE, FC_NAME_BYTES);
  entry->param_count = (uint32_t)fc_load_le(raw + FC_ENTRY_PARAM_COUNT, 4);
  for (size_t i = 0; i < FC_TABLE_PARAMS; i++)
    entry->params[i] = fc_load_le(raw + FC_ENTRY_PARAMS + 8 * i, 8);
  entry->gain = (uint32_t)fc_load_le(raw + FC_ENTRY_GAIN, 4);
  entry->time = fc_load_le(raw + FC_ENTRY_TIME, 8);
  load_text(entry->tool, raw + FC_ENTRY_TOOL, sizeof entry->tool);
  load_text(entry->cpu_name, raw + FC_ENTRY_CPU_NAME, sizeof entry->cpu_name);
}

void fc_table_begin(struct fc_table_scan *scan, const struct fc_cpu *cpu) {
  scan->arch = cpu->arch;
  scan->id = cpu->id;
  scan->feature_hash = fc_feature_hash(cpu->features);
  scan->status = FC_TABLE_BAD_LENGTH;
  scan->done = 0;
  scan->entry_size = 0;
  scan->entries_left = 0;
  scan->filled = 0;
  scan->skip = 0;
  scan->wanted = FC_HEADER_BYTES;
}

static void finish(struct fc_table_scan *scan, enum fc_table_status status) {
  scan->status = status;
  scan->done = 1;
}

static int crc_fits(const unsigned char *record, unsigned size) {
  return fc_crc32(0, record, size - 4) == fc_load_le(record + size - 4, 4);
}

/* The first FC_HEADER_BYTES are here, or the whole header where it is longer. */
static void take_header(struct fc_table_scan *scan) {
  const unsigned char *header = scan->record;
  for (unsigned i = 0; i < sizeof fc_table_magic; i++) {
    if (header[FC_HEADER_MAGIC + i] != fc_table_magic[i]) {
      finish(scan, FC_TABLE_BAD_MAGIC);
      return;
    }
  }
  if (fc_load_le(header + FC_HEADER_VERSION, 2) != FC_TABLE_VERSION) {
    finish(scan, FC_TABLE_BAD_VERSION);
    return;
  }
  unsigned header_size = (unsigned)fc_load_le(header + FC_HEADER_SIZE, 2);
  unsigned entry_size = (unsigned)fc_load_le(header + FC_HEADER_ENTRY_SIZE, 2);
  unsigned count = (unsigned)fc_load_le(header + FC_HEADER_ENTRY_COUNT, 2);
  if (header_size < FC_HEADER_BYTES || header_size > FC_HEADER_BYTES_MAX || entry_size < FC_ENTRY_BYTES ||
      entry_size > FC_ENTRY_BYTES_MAX || count > FC_ENTRY_COUNT_MAX) {
    finish(scan, FC_TABLE_BAD_LENGTH);
    return;
  }
  if (scan->filled < header_size) {
    scan->wanted = header_size;
    return;
  }
  if (!crc_fits(header, header_size)) {
    finish(scan, FC_TABLE_BAD_CRC);
    return;
  }
  scan->entry_size = entry_size;
  scan->entries_left = count;
  scan->wanted = FC_ENTRY_KEY_BYTES;
  scan->filled = 0;
  if (count == 0)
    finish(scan, FC_TABLE_NO_ENTRY);
}

/* The key of an entry is here, or all of it where the key is this CPU's: a fleet's table is mostly foreign entries. */
static void take_entry(struct fc_table_scan *scan) {
  const unsigned char *raw = scan->record;
  if (fc_load_le(raw + FC_ENTRY_ARCH, 4) != scan->arch || fc_load_le(raw + FC_ENTRY_CPU, 4) != scan->id ||
      fc_load_le(raw + FC_ENTRY_FEATURE_HASH, 8) != scan->feature_hash) {
    scan->filled = 0;
    scan->skip = scan->entry_size - FC_ENTRY_KEY_BYTES;
    scan->entries_left--;
    return;
  }
  if (scan->filled < scan->entry_size) {
    scan->wanted = scan->entry_size;
    return;
  }
  if (!crc_fits(raw, scan->entry_size)) {
    finish(scan, FC_TABLE_BAD_CRC);
    return;
  }
  fc_entry_decode(&scan->entry, raw);
  finish(scan, FC_TABLE_MATCH);
}

void fc_table_feed(struct fc_table_scan *scan, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size && !scan->done; i++) {
    if (scan->skip != 0) {
      size_t some = size - i < scan->skip ? size - i : scan->skip;
      scan->skip -= (unsigned)some;
      i += some - 1;
      if (scan->skip == 0 && scan->entries_left == 0)
        finish(scan, FC_TABLE_NO_ENTRY);
      continue;
    }
    scan->record[scan->filled++] = bytes[i];
    if (scan->filled < scan->wanted)
      continue;
    if (scan->entry_size == 0)
      take_header(scan);
    else
      take_entry(scan);
  }
}

enum fc_table_status fc_table_end(struct fc_table_scan *scan) {
  if (!scan->done)
    finish(scan, FC_TABLE_BAD_LENGTH);
  return scan->status;
}
