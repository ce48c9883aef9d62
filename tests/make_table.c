/* SPDX-License-Identifier: MIT */
#include "make_table.h"

#include <string.h>

struct table_layout table_layout(unsigned entries) {
  return (struct table_layout){.version = FC_TABLE_VERSION,
                               .header_size = FC_HEADER_BYTES,
                               .entry_size = FC_ENTRY_BYTES,
                               .count = entries,
                               .entries = entries};
}

size_t table_size(const struct table_layout *layout) {
  return layout->header_size + (size_t)layout->entries * layout->entry_size + layout->curves;
}

uint32_t table_crc(const unsigned char *bytes, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < 8 * size; i++) {
    unsigned bit = (bytes[i / 8] >> i % 8 ^ crc) & 1;
    crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
  }
  return ~crc;
}

void table_store(unsigned char *bytes, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (unsigned char)(value >> 8 * i);
}

void table_seal(unsigned char *record, size_t size) { table_store(record + size - 4, table_crc(record, size - 4), 4); }

static void put_text(unsigned char *field, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    field[i] = (unsigned char)text[i];
}

void table_put_entry(unsigned char *raw, size_t size, const struct fc_table_entry *entry) {
  memset(raw, 0, size);
  table_store(raw + FC_ENTRY_ARCH, entry->cpu.arch, 4);
  table_store(raw + FC_ENTRY_CPU, entry->cpu.id, 4);
  table_store(raw + FC_ENTRY_FEATURE_HASH, entry->feature_hash, 8);
  put_text(raw + FC_ENTRY_MEMCPY, entry->memcpy_variant, FC_NAME_BYTES);
  put_text(raw + FC_ENTRY_MEMMOVE, entry->memmove_variant, FC_NAME_BYTES);
  for (unsigned i = 0; i < FC_TABLE_PARAMS; i++)
    table_store(raw + FC_ENTRY_PARAMS + 8 * i, entry->params[i], 8);
  table_store(raw + FC_ENTRY_TIME, entry->time, 8);
  put_text(raw + FC_ENTRY_TOOL, entry->tool, sizeof entry->tool);
  put_text(raw + FC_ENTRY_CPU_NAME, entry->cpu_name, sizeof entry->cpu_name);
  table_store(raw + FC_ENTRY_PARAM_COUNT, entry->param_count, 4);
  table_store(raw + FC_ENTRY_GAIN, entry->gain, 4);
  /* what a later version may add is not to disturb this one */
  for (size_t i = FC_ENTRY_BYTES - 4; i + 4 < size; i++)
    raw[i] = (unsigned char)i;
  table_seal(raw, size);
}

void table_put(unsigned char *bytes, const struct table_layout *layout, const struct fc_table_entry *entries) {
  memset(bytes, 0, table_size(layout));
  for (unsigned i = 0; i < sizeof fc_table_magic; i++)
    bytes[FC_HEADER_MAGIC + i] = fc_table_magic[i];
  table_store(bytes + FC_HEADER_VERSION, layout->version, 2);
  table_store(bytes + FC_HEADER_SIZE, layout->header_size, 2);
  table_store(bytes + FC_HEADER_ENTRY_SIZE, layout->entry_size, 2);
  table_store(bytes + FC_HEADER_ENTRY_COUNT, layout->count, 2);
  size_t end = layout->header_size + (size_t)layout->entries * layout->entry_size;
  if (layout->curves != 0) {
    table_store(bytes + FC_HEADER_CURVES, end, 8);
    table_store(bytes + FC_HEADER_CURVES_SIZE, layout->curves, 8);
    memset(bytes + end, 0xa5, layout->curves);
  }
  for (size_t i = FC_HEADER_BYTES - 4; i + 4 < layout->header_size; i++)
    bytes[i] = (unsigned char)i;
  table_seal(bytes, layout->header_size);
  for (unsigned i = 0; i < layout->entries; i++)
    table_put_entry(bytes + layout->header_size + (size_t)i * layout->entry_size, layout->entry_size, &entries[i]);
}
