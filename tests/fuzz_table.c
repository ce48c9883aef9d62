/* SPDX-License-Identifier: MIT */
/*
 * The parser of tuning tables against files that nobody wrote: damaged, truncated, random, and hostile ones whose
 * checksums fit. Built with sanitizers, and without the harness, whose memcpy is the library's.
 *
 * usage: fuzz_table [SEED [CASES]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dispatch/plan.h"
#include "make_table.h"

static uint64_t state;

static uint64_t random_bits(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static size_t below(size_t bound) { return (size_t)(random_bits() % bound); }

static unsigned failures;
static unsigned long matches, statuses[FC_TABLE_STATUS_COUNT];

static void fail(unsigned long index, const char *what) {
  printf("FAIL fuzz: case %lu: %s\n", index, what);
  failures++;
}

/* Feeds a copy that has not a byte to spare, and follows what comes out of it to the end. */
static void parse(unsigned long index, const unsigned char *bytes, size_t size, const struct fc_cpu *cpu,
                  int may_match) {
  struct fc_table_scan *scan = malloc(sizeof *scan);
  unsigned char *exact = malloc(size != 0 ? size : 1);
  if (scan == NULL || exact == NULL)
    abort();
  memset(scan, 0xa5, sizeof *scan);
  if (size != 0)
    memcpy(exact, bytes, size);
  fc_table_begin(scan, cpu);
  for (size_t at = 0; at < size;) {
    size_t piece = 1 + below(below(2) ? 8 : 4096);
    if (piece > size - at)
      piece = size - at;
    fc_table_feed(scan, exact + at, piece);
    at += piece;
  }
  enum fc_table_status status = fc_table_end(scan);
  free(exact);
  if ((unsigned)status >= FC_TABLE_STATUS_COUNT || !scan->done) {
    fail(index, "no status that there is");
  } else {
    statuses[status]++;
    if (status == FC_TABLE_MATCH && !may_match)
      fail(index, "a damaged table is believed");
    struct fc_env env = {0};
    struct fc_plan plan;
    fc_plan_make(&plan, cpu, status, &scan->entry, &env);
    if (!fc_variant_usable(plan.memcpy_variant, cpu) || !fc_variant_usable(plan.memmove_variant, cpu))
      fail(index, "the plan has a variant that the CPU cannot run");
    for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
      if (plan.params[i] < fc_params[i].lowest || plan.params[i] > fc_params[i].highest)
        fail(index, "the plan has a number out of bounds");
    }
    matches += status == FC_TABLE_MATCH;
  }
  free(scan);
}

static void random_text(char *text, size_t size) {
  if (below(2)) {
    memset(text, 0, size);
    memcpy(text, fc_variants[below(FC_VARIANT_COUNT)].name, size < FC_NAME_BYTES ? size : FC_NAME_BYTES);
  } else {
    for (size_t i = 0; i < size; i++)
      text[i] = (char)random_bits();
  }
}

static void random_entry(struct fc_table_entry *entry, const struct fc_cpu *cpu) {
  entry->cpu = *cpu;
  entry->feature_hash = fc_feature_hash(cpu->features);
  if (below(4) == 0)
    entry->cpu.id ^= 1u << below(32);
  random_text(entry->memcpy_variant, sizeof entry->memcpy_variant);
  random_text(entry->memmove_variant, sizeof entry->memmove_variant);
  for (unsigned i = 0; i < FC_TABLE_PARAMS; i++)
    entry->params[i] = random_bits() >> below(64);
  entry->param_count = (uint32_t)(random_bits() >> below(64));
  entry->gain = (uint32_t)random_bits();
  entry->time = random_bits();
  random_text(entry->tool, sizeof entry->tool);
  random_text(entry->cpu_name, sizeof entry->cpu_name);
}

static void one_case(unsigned long index) {
  static unsigned char bytes[128 * 1024];
  struct fc_table_entry entries[16] = {0};
  struct fc_cpu cpu = {.arch = FC_ARCH_THIS, .id = (uint32_t)random_bits(), .features = random_bits()};
  struct table_layout layout = table_layout((unsigned)below(below(16) == 0 ? 16 : 4));
  unsigned kind = (unsigned)below(8);
  if (kind == 0) { /* noise, mostly with the right beginning */
    size_t size = below(3000);
    for (size_t i = 0; i < size; i++)
      bytes[i] = (unsigned char)random_bits();
    if (below(4) != 0) {
      memcpy(bytes, fc_table_magic, sizeof fc_table_magic);
      table_store(bytes + FC_HEADER_VERSION, FC_TABLE_VERSION, 2);
    }
    parse(index, bytes, size, &cpu, 0);
    return;
  }
  for (unsigned i = 0; i < layout.entries; i++)
    random_entry(&entries[i], &cpu);
  if (below(2)) {
    layout.header_size += (unsigned)below(FC_HEADER_BYTES_MAX - FC_HEADER_BYTES + 1);
    layout.entry_size += (unsigned)below(FC_ENTRY_BYTES_MAX - FC_ENTRY_BYTES + 1);
    layout.curves = below(5000);
  }
  table_put(bytes, &layout, entries);
  size_t size = table_size(&layout);
  int may_match = 1;
  if (kind == 1) { /* hostile: the header lies, and its checksum fits */
    static const unsigned short fields[] = {FC_HEADER_VERSION,     FC_HEADER_SIZE,   FC_HEADER_ENTRY_SIZE,
                                            FC_HEADER_ENTRY_COUNT, FC_HEADER_CURVES, FC_HEADER_CURVES_SIZE,
                                            FC_HEADER_CURVES_RAW};
    for (size_t changes = 1 + below(3); changes > 0; changes--)
      table_store(bytes + fields[below(sizeof fields / sizeof fields[0])], random_bits() >> below(64), 2);
    size_t header_size = fc_load_le(bytes + FC_HEADER_SIZE, 2);
    table_seal(bytes, header_size >= FC_HEADER_BYTES && header_size <= size ? header_size : FC_HEADER_BYTES);
  } else if (kind <= 3) { /* truncated */
    size = below(size + 1);
  } else if (kind <= 5) { /* one damaged bit, in the header or the only entry */
    layout = table_layout(1);
    table_put(bytes, &layout, entries);
    size = table_size(&layout);
    bytes[below(size)] ^= (unsigned char)(1u << below(8));
    may_match = 0;
  } else if (kind == 6) { /* damaged here and there */
    for (size_t changes = below(20); changes > 0; changes--)
      bytes[below(size)] ^= (unsigned char)random_bits();
  }
  parse(index, bytes, size, &cpu, may_match);
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
  unsigned long cases = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;
  state = seed;
  printf("fuzz_table: seed %llu, %lu cases\n", (unsigned long long)seed, cases);
  for (unsigned long i = 0; i < cases && failures < 20; i++)
    one_case(i);
  for (unsigned i = 0; i < FC_TABLE_STATUS_COUNT; i++)
    printf("%8lu %s\n", statuses[i], fc_reason_text(i));
  if (matches == 0 || statuses[FC_TABLE_BAD_CRC] == 0 || statuses[FC_TABLE_BAD_LENGTH] == 0) {
    printf("FAIL fuzz: the cases do not reach what they are for\n");
    failures++;
  }
  printf("fuzz_table: %s\n", failures != 0 ? "FAILED" : "passed");
  return failures != 0;
}
