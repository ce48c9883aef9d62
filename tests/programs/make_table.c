/* SPDX-License-Identifier: MIT */
/*
 * Writes a tuning table for the CPU as this process sees it, of one entry. It links the library, whose view it asks for.
 *
 * usage: make_table [--arch NUMBER] [--big-endian] <file> <memcpy variant> <memmove variant>
 *                   [parameter value in the order of params.def ...]
 * --arch: of enum fc_arch, in place of this one. --big-endian: every integer in the byte order that no table has.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/variant.h"
#include "dispatch/table.h"
#include "fastcopy.h"

static bool big_endian;

static void store(unsigned char *at, unsigned long long value, unsigned size) {
  for (unsigned i = 0; i < size; i++, value >>= 8)
    at[big_endian ? size - 1 - i : i] = (unsigned char)value;
}

static void seal(unsigned char *record, unsigned size) {
  uint32_t crc = 0xffffffff;
  for (unsigned i = 0; i < size - 4; i++) {
    crc ^= record[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  store(record + size - 4, ~crc, 4);
}

int main(int argc, char **argv) {
  static unsigned char file[FC_HEADER_BYTES + FC_ENTRY_BYTES] = {0x89, 'F', 'C', 'T', '\r', '\n', 0x1a, '\n'};
  unsigned char *entry = file + FC_HEADER_BYTES;
  struct fastcopy_plan plan = {.size = sizeof plan};
  unsigned long arch = FC_ARCH_THIS;
  if (argc > 2 && strcmp(argv[1], "--arch") == 0) {
    arch = strtoul(argv[2], NULL, 0);
    argc -= 2;
    argv += 2;
  }
  if (argc > 1 && strcmp(argv[1], "--big-endian") == 0) {
    big_endian = true;
    argc--;
    argv++;
  }
  if (argc < 4 || argc > 4 + FC_TABLE_PARAMS || strlen(argv[2]) >= FC_NAME_BYTES || strlen(argv[3]) >= FC_NAME_BYTES ||
      fastcopy_describe(&plan) != 0)
    return 2;
  store(file + FC_HEADER_VERSION, FC_TABLE_VERSION, 2);
  store(file + FC_HEADER_SIZE, FC_HEADER_BYTES, 2);
  store(file + FC_HEADER_ENTRY_SIZE, FC_ENTRY_BYTES, 2);
  store(file + FC_HEADER_ENTRY_COUNT, 1, 2);
  seal(file, FC_HEADER_BYTES);

  store(entry + FC_ENTRY_ARCH, arch, 4);
  store(entry + FC_ENTRY_CPU, plan.cpu, 4);
  store(entry + FC_ENTRY_FEATURE_HASH, plan.feature_hash, 8);
  strcpy((char *)entry + FC_ENTRY_MEMCPY, argv[2]);
  strcpy((char *)entry + FC_ENTRY_MEMMOVE, argv[3]);
  for (int i = 4; i < argc; i++)
    store(entry + FC_ENTRY_PARAMS + 8 * (i - 4), strtoull(argv[i], NULL, 0), 8);
  store(entry + FC_ENTRY_PARAM_COUNT, (unsigned)argc - 4, 4);
  seal(entry, FC_ENTRY_BYTES);

  FILE *out = fopen(argv[1], "wb");
  if (out == NULL || fwrite(file, sizeof file, 1, out) != 1 || fclose(out) != 0) {
    perror(argv[1]);
    return 1;
  }
  return 0;
}
