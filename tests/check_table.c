/* SPDX-License-Identifier: MIT */
/*
 * The reader of tuning tables: what it makes of whole, damaged, odd and hostile files, first as a function of
 * bytes, then through the resolver of child processes.
 *
 * usage: check_table [--seed NUMBER] bytes | processes
 * (check_table --copies is such a child: it copies, says nothing and exits with 0 when the copies are right)
 */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "dispatch/plan.h"
#include "lib/fastcopy.h"
#include "make_table.h"

/* An entry with every field set, for the CPU of this process. */
static struct fc_table_entry make_entry(unsigned variant) {
  struct fc_table_entry entry = {.cpu = {.arch = check_cpu.arch, .id = check_cpu.id},
                                 .feature_hash = fc_feature_hash(check_cpu.features),
                                 .param_count = FC_PARAM_COUNT,
                                 .gain = 1234,
                                 .time = 1700000000};
  check_set_text(entry.memcpy_variant, sizeof entry.memcpy_variant, fc_variants[variant].name);
  check_set_text(entry.memmove_variant, sizeof entry.memmove_variant, fc_variants[FC_BASELINE].name);
  check_set_text(entry.tool, sizeof entry.tool, "0.1.0-test");
  check_set_text(entry.cpu_name, sizeof entry.cpu_name, "a CPU for tests");
  for (unsigned i = 0; i < FC_TABLE_PARAMS; i++)
    entry.params[i] = i < FC_PARAM_COUNT ? fc_params[i].initial : 0x1111111111111111u * i;
  return entry;
}

static enum fc_table_status parse_as(struct fc_table_scan *scan, const struct fc_cpu *cpu, const unsigned char *bytes,
                                     size_t size, size_t piece) {
  memset(scan, 0xa5, sizeof *scan);
  fc_table_begin(scan, cpu);
  for (size_t at = 0; at < size; at += piece)
    fc_table_feed(scan, bytes + at, piece < size - at ? piece : size - at);
  return fc_table_end(scan);
}

static enum fc_table_status parse(const unsigned char *bytes, size_t size) {
  static struct fc_table_scan scan;
  return parse_as(&scan, &check_cpu, bytes, size, 64);
}

static void expect(const unsigned char *bytes, size_t size, enum fc_table_status expected, const char *what) {
  static const size_t pieces[] = {1, 7, 64, 4096};
  static struct fc_table_scan scan;
  for (unsigned i = 0; i < 4; i++) {
    enum fc_table_status status = parse_as(&scan, &check_cpu, bytes, size, pieces[i]);
    CHECK(status == expected, "table: %s, in pieces of %zu bytes: \"%s\", not \"%s\"", what, pieces[i],
          fc_reason_text(status), fc_reason_text(expected));
  }
}

static void check_crc(void) {
  static unsigned char bytes[5000];
  check_fill(bytes, bytes, sizeof bytes);
  CHECK(fc_crc32(0, (const unsigned char *)"123456789", 9) == 0xcbf43926, "table: CRC-32 of 123456789 is wrong");
  for (unsigned i = 0; i < 500; i++) {
    size_t size = check_below(sizeof bytes), cut = check_below(size + 1);
    uint32_t crc = fc_crc32(0, bytes, size);
    CHECK(crc == table_crc(bytes, size), "table: CRC-32 of %zu bytes is wrong", size);
    CHECK(fc_crc32(fc_crc32(0, bytes, cut), bytes + cut, size - cut) == crc, "table: CRC-32 in two parts is wrong");
#ifdef HAVE_ZLIB
    CHECK(crc32(0, bytes, (unsigned)size) == crc, "table: zlib's CRC-32 of %zu bytes is another", size);
#endif
  }
#ifndef HAVE_ZLIB
  check_skip("table: the comparison with zlib's crc32(): built without zlib");
#endif
  const unsigned char le[8] = {1, 2, 3, 4, 5, 6, 7, 0x88};
  CHECK(fc_load_le(le, 8) == 0x8807060504030201u && fc_load_le(le, 4) == 0x04030201 && fc_load_le(le, 2) == 0x0201,
        "table: little-endian integers are read wrong");
}

static bool same_entry(const struct fc_table_entry *a, const struct fc_table_entry *b) {
  return a->cpu.arch == b->cpu.arch && a->cpu.id == b->cpu.id && a->feature_hash == b->feature_hash &&
         memcmp(a->memcpy_variant, b->memcpy_variant, sizeof a->memcpy_variant) == 0 &&
         memcmp(a->memmove_variant, b->memmove_variant, sizeof a->memmove_variant) == 0 &&
         memcmp(a->params, b->params, sizeof a->params) == 0 && a->param_count == b->param_count &&
         a->gain == b->gain && a->time == b->time && memcmp(a->tool, b->tool, sizeof a->tool) == 0 &&
         memcmp(a->cpu_name, b->cpu_name, sizeof a->cpu_name) == 0;
}

/* Where the table of a test lies: ends at memory that may not be touched. */
static unsigned char *place(size_t size) {
  static unsigned char *memory;
  const size_t room = (size_t)FC_ENTRY_COUNT_MAX * FC_ENTRY_BYTES_MAX + 64 * 1024;
  if (memory == NULL)
    memory = check_guarded(room);
  return memory + room - size;
}

static unsigned char *put(const struct table_layout *layout, const struct fc_table_entry *entries) {
  unsigned char *bytes = place(table_size(layout));
  table_put(bytes, layout, entries);
  return bytes;
}

static void check_round_trip(void) {
  static struct fc_table_scan scan;
  for (unsigned i = 0; i < 200; i++) {
    struct fc_table_entry entry = make_entry((unsigned)check_below(FC_VARIANT_COUNT));
    for (unsigned k = 0; k < FC_TABLE_PARAMS; k++)
      entry.params[k] = check_random() >> check_below(64);
    entry.param_count = (uint32_t)check_random();
    entry.time = check_random();
    entry.gain = (uint32_t)check_random();
    struct table_layout layout = table_layout(1);
    if (i % 2 == 0)
      layout.curves = check_below(3000);
    unsigned char *bytes = put(&layout, &entry);
    const size_t pieces[] = {1, 7, 64, 4096, 1 + check_below(500)};
    for (unsigned k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
      enum fc_table_status status = parse_as(&scan, &check_cpu, bytes, table_size(&layout), pieces[k]);
      CHECK(status == FC_TABLE_MATCH && same_entry(&scan.entry, &entry),
            "table: what was written is not what is read, in pieces of %zu: %s", pieces[k], fc_reason_text(status));
      struct fc_table_entry before = scan.entry;
      fc_table_feed(&scan, bytes, table_size(&layout));
      CHECK(fc_table_end(&scan) == FC_TABLE_MATCH && same_entry(&scan.entry, &before),
            "table: bytes after the match change it");
    }
  }
}

/* F1: every length, every bit. */
static void check_damage(void) {
  struct fc_table_entry entry = make_entry(FC_BASELINE);
  struct table_layout layout = table_layout(1);
  layout.curves = 100;
  const size_t whole = FC_HEADER_BYTES + FC_ENTRY_BYTES;
  for (size_t size = 0; size <= table_size(&layout); size++) {
    static unsigned char all[1024];
    table_put(all, &layout, &entry);
    unsigned char *bytes = place(size);
    memcpy(bytes, all, size);
    char what[64];
    snprintf(what, sizeof what, "cut to %zu bytes", size);
    expect(bytes, size, size < whole ? FC_TABLE_BAD_LENGTH : FC_TABLE_MATCH, what);
  }
  unsigned char *bytes = put(&layout, &entry);
  for (size_t bit = 0; bit < 8 * whole; bit++) {
    size_t at = bit / 8;
    bytes[at] ^= (unsigned char)(1u << bit % 8);
    enum fc_table_status status = parse(bytes, table_size(&layout));
    CHECK(status != FC_TABLE_MATCH, "table: bit %zu of byte %zu is flipped, and the table believed", bit % 8, at);
    if (at < FC_HEADER_VERSION)
      CHECK(status == FC_TABLE_BAD_MAGIC, "table: byte %zu is damaged: %s", at, fc_reason_text(status));
    else if (at < FC_HEADER_SIZE)
      CHECK(status == FC_TABLE_BAD_VERSION, "table: byte %zu is damaged: %s", at, fc_reason_text(status));
    else if (at >= FC_HEADER_CURVES && at < FC_HEADER_BYTES)
      CHECK(status == FC_TABLE_BAD_CRC, "table: byte %zu is damaged: %s", at, fc_reason_text(status));
    else if (at >= FC_HEADER_BYTES && at < FC_HEADER_BYTES + FC_ENTRY_MEMCPY)
      CHECK(status == FC_TABLE_NO_ENTRY, "table: byte %zu is damaged: %s", at, fc_reason_text(status));
    else if (at >= FC_HEADER_BYTES)
      CHECK(status == FC_TABLE_BAD_CRC, "table: byte %zu is damaged: %s", at, fc_reason_text(status));
    bytes[at] ^= (unsigned char)(1u << bit % 8);
  }
  expect(bytes, table_size(&layout), FC_TABLE_MATCH, "mended");
}

/* F5: versions and sizes of other readers and writers. */
static void check_layouts(void) {
  struct fc_table_entry entry = make_entry(FC_BASELINE);
  static struct fc_table_scan scan;
  const unsigned versions[] = {FC_TABLE_VERSION - 1, FC_TABLE_VERSION + 1, 2, 0x100, 0xffff};
  for (unsigned i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    struct table_layout layout = table_layout(1);
    layout.version = versions[i];
    expect(put(&layout, &entry), table_size(&layout), FC_TABLE_BAD_VERSION, "another version");
  }
  for (unsigned header = FC_HEADER_BYTES; header <= FC_HEADER_BYTES_MAX; header += 1 + header / 16) {
    for (unsigned size = FC_ENTRY_BYTES; size <= FC_ENTRY_BYTES_MAX; size += 1 + size / 16) {
      struct table_layout layout = table_layout(1);
      layout.header_size = header;
      layout.entry_size = size;
      unsigned char *bytes = put(&layout, &entry);
      CHECK(parse_as(&scan, &check_cpu, bytes, table_size(&layout), 1) == FC_TABLE_MATCH &&
                same_entry(&scan.entry, &entry),
            "table: a header of %u and an entry of %u bytes are not read", header, size);
      /* the bytes that this reader does not know are under the checksum */
      bytes[header - 5] ^= 1;
      enum fc_table_status status = parse(bytes, table_size(&layout));
      CHECK(status == FC_TABLE_BAD_CRC, "table: damage at the end of a header of %u bytes: %s", header,
            fc_reason_text(status));
      bytes[header - 5] ^= 1;
      bytes[header + size - 5] ^= 1;
      status = parse(bytes, table_size(&layout));
      CHECK(status == FC_TABLE_BAD_CRC, "table: damage at the end of an entry of %u bytes: %s", size,
            fc_reason_text(status));
    }
  }
  /* the largest that are allowed, by themselves */
  struct table_layout largest = table_layout(1);
  largest.header_size = FC_HEADER_BYTES_MAX;
  largest.entry_size = FC_ENTRY_BYTES_MAX;
  expect(put(&largest, &entry), table_size(&largest), FC_TABLE_MATCH, "the largest header and entry");

  /* out of bounds, with a checksum that fits */
  const struct {
    unsigned field, value;
  } wrong[] = {{FC_HEADER_SIZE, 0},
               {FC_HEADER_SIZE, FC_HEADER_BYTES - 1},
               {FC_HEADER_SIZE, FC_HEADER_BYTES_MAX + 1},
               {FC_HEADER_SIZE, 0xffff},
               {FC_HEADER_ENTRY_SIZE, 0},
               {FC_HEADER_ENTRY_SIZE, 4},
               {FC_HEADER_ENTRY_SIZE, FC_ENTRY_BYTES - 1},
               {FC_HEADER_ENTRY_SIZE, FC_ENTRY_BYTES_MAX + 1},
               {FC_HEADER_ENTRY_SIZE, 0xffff},
               {FC_HEADER_ENTRY_COUNT, FC_ENTRY_COUNT_MAX + 1},
               {FC_HEADER_ENTRY_COUNT, 0xffff}};
  for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct table_layout layout = table_layout(8);
    struct fc_table_entry entries[8];
    for (unsigned k = 0; k < 8; k++)
      entries[k] = entry;
    unsigned char *bytes = put(&layout, entries);
    table_store(bytes + wrong[i].field, wrong[i].value, 2);
    table_seal(bytes, FC_HEADER_BYTES);
    char what[64];
    snprintf(what, sizeof what, "%u in the field at %u", wrong[i].value, wrong[i].field);
    expect(bytes, table_size(&layout), FC_TABLE_BAD_LENGTH, what);
  }
}

static void check_many(void) {
  static struct fc_table_entry entries[FC_ENTRY_COUNT_MAX];
  static const unsigned counts[] = {1, 2, 3, 100, FC_ENTRY_COUNT_MAX};
  for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    unsigned count = counts[i];
    for (unsigned k = 0; k < count; k++) {
      entries[k] = make_entry(FC_BASELINE);
      entries[k].gain = k;
      if (k + 1 == count)
        continue;
      /* no other than the last is for this CPU, each by one field */
      if (k % 3 == 0)
        entries[k].cpu.arch++;
      else if (k % 3 == 1)
        entries[k].cpu.id++;
      else
        entries[k].feature_hash ^= 1ull << k % 64;
    }
    struct table_layout layout = table_layout(count);
    unsigned char *bytes = put(&layout, entries);
    expect(bytes, table_size(&layout), FC_TABLE_MATCH, "the entry is the last");
    expect(bytes, table_size(&layout) - 1, FC_TABLE_BAD_LENGTH, "the entry is the last, and cut");
    /* damage to the entry of another CPU is not this one's business */
    if (count > 1) {
      bytes[FC_HEADER_BYTES + FC_ENTRY_GAIN] ^= 1;
      expect(bytes, table_size(&layout), FC_TABLE_MATCH, "another CPU's entry is damaged");
    }
    layout.count = count - 1;
    expect(put(&layout, entries), table_size(&layout), FC_TABLE_NO_ENTRY, "the entry is behind the last");
    layout = table_layout(count);
    layout.entries = count - 1;
    expect(put(&layout, entries), table_size(&layout), FC_TABLE_BAD_LENGTH, "one entry fewer than the header says");
  }
  /* the first of two counts, and when it is damaged there is no second try */
  static struct fc_table_scan scan;
  entries[0] = entries[1] = make_entry(FC_BASELINE);
  entries[0].gain = 1;
  entries[1].gain = 2;
  struct table_layout layout = table_layout(2);
  unsigned char *bytes = put(&layout, entries);
  CHECK(parse_as(&scan, &check_cpu, bytes, table_size(&layout), 64) == FC_TABLE_MATCH && scan.entry.gain == 1,
        "table: not the first of two entries is taken");
  bytes[FC_HEADER_BYTES + FC_ENTRY_GAIN] ^= 1;
  expect(bytes, table_size(&layout), FC_TABLE_BAD_CRC, "the first of two entries is damaged");
}

/* A fleet's table: all entries but the last are foreign, and skipped in pieces of any size. */
static void check_fleet(void) {
  static struct fc_table_entry entries[FC_ENTRY_COUNT_MAX];
  static struct fc_table_scan scan;
  for (unsigned k = 0; k < FC_ENTRY_COUNT_MAX; k++) {
    entries[k] = make_entry(FC_BASELINE);
    entries[k].gain = k;
    entries[k].cpu.id += k + 1 < FC_ENTRY_COUNT_MAX;
  }
  struct table_layout layout = table_layout(FC_ENTRY_COUNT_MAX);
  layout.entry_size = FC_ENTRY_BYTES_MAX;
  const unsigned char *bytes = put(&layout, entries);
  const size_t size = table_size(&layout);
  for (size_t piece = 1; piece <= 64; piece += check_emulated() ? 21 : 1) {
    enum fc_table_status status = parse_as(&scan, &check_cpu, bytes, size, piece);
    CHECK(status == FC_TABLE_MATCH && same_entry(&scan.entry, &entries[FC_ENTRY_COUNT_MAX - 1]),
          "table: the last of %d entries is not found, in pieces of %zu bytes: %s", FC_ENTRY_COUNT_MAX, piece,
          fc_reason_text(status));
  }

  /* the last entry is foreign, and cut anywhere */
  layout = table_layout(3);
  layout.entry_size = FC_ENTRY_BYTES_MAX;
  bytes = put(&layout, entries);
  expect(bytes, table_size(&layout), FC_TABLE_NO_ENTRY, "all entries are foreign");
  for (size_t cut = 1; cut <= FC_ENTRY_BYTES_MAX; cut++) {
    for (size_t piece = 1; piece <= 64; piece += check_emulated() ? 21 : 7) {
      enum fc_table_status status = parse_as(&scan, &check_cpu, bytes, table_size(&layout) - cut, piece);
      CHECK(status == FC_TABLE_BAD_LENGTH, "table: a foreign last entry lacks %zu bytes, in pieces of %zu: %s", cut,
            piece, fc_reason_text(status));
    }
  }
}

/* Names and texts that fill their fields. */
static void check_texts(void) {
  static struct fc_table_scan scan;
  struct fc_table_entry entry = make_entry(FC_BASELINE);
  memset(entry.memcpy_variant, 'x', sizeof entry.memcpy_variant);
  memset(entry.memmove_variant, 0xff, sizeof entry.memmove_variant);
  memset(entry.tool, 'y', sizeof entry.tool);
  memset(entry.cpu_name, 'z', sizeof entry.cpu_name);
  struct table_layout layout = table_layout(1);
  unsigned char *bytes = put(&layout, &entry);
  CHECK(parse_as(&scan, &check_cpu, bytes, table_size(&layout), 64) == FC_TABLE_MATCH,
        "table: full names are not read");
  CHECK(strnlen(scan.entry.memcpy_variant, FC_NAME_BYTES) == FC_NAME_BYTES - 1 &&
            strnlen(scan.entry.memmove_variant, FC_NAME_BYTES) == FC_NAME_BYTES - 1 &&
            strnlen(scan.entry.tool, sizeof entry.tool) == sizeof entry.tool - 1 &&
            strnlen(scan.entry.cpu_name, sizeof entry.cpu_name) == sizeof entry.cpu_name - 1,
        "table: a text without an end in its field is not given one");
}

static void check_noise(void) {
  for (unsigned i = 0; i < 20000; i++) {
    size_t size = check_below(2000);
    unsigned char *bytes = place(size);
    check_fill(bytes, bytes, size);
    if (i % 2 == 0 && size >= FC_HEADER_BYTES) {
      memcpy(bytes, fc_table_magic, sizeof fc_table_magic);
      table_store(bytes + FC_HEADER_VERSION, FC_TABLE_VERSION, 2);
    }
    CHECK(parse(bytes, size) != FC_TABLE_MATCH, "table: noise is believed");
  }
  unsigned char *bytes = place(4096);
  memset(bytes, 0, 4096);
  expect(bytes, 4096, FC_TABLE_BAD_MAGIC, "zeros");
  memset(bytes, 0xff, 4096);
  expect(bytes, 4096, FC_TABLE_BAD_MAGIC, "ones");
  /* F16: as a writer of the other byte order would have it */
  struct fc_table_entry entry = make_entry(FC_BASELINE);
  struct table_layout layout = table_layout(1);
  bytes = put(&layout, &entry);
  for (unsigned at = FC_HEADER_VERSION; at < FC_HEADER_CURVES; at += 2) {
    unsigned char low = bytes[at];
    bytes[at] = bytes[at + 1];
    bytes[at + 1] = low;
  }
  table_seal(bytes, FC_HEADER_BYTES);
  expect(bytes, table_size(&layout), FC_TABLE_BAD_VERSION, "integers in the other byte order");
  /* line ends translated on the way */
  bytes = put(&layout, &entry);
  bytes[4] = '\n';
  expect(bytes, table_size(&layout), FC_TABLE_BAD_MAGIC, "line ends translated");
}

/* The child: nothing on either output. */
static int copies(void) {
  static unsigned char from[200000], to[200000], model[200000];
  void *(*volatile const functions[2])(void *, const void *, size_t) = {memcpy, memmove};
  static const size_t sizes[] = {1000,  2047,  2048,  4095,  4096,  4097,   5000,  8191,
                                 16383, 16384, 16385, 20000, 65535, 100000, 150000};
  for (size_t i = 0; i < 310 + sizeof sizes / sizeof sizes[0]; i++) {
    size_t n = i < 310 ? i : sizes[i - 310];
    for (unsigned k = 0; k < 2; k++) {
      check_fill(from, from, sizeof from > n + 64 ? n + 64 : n);
      for (size_t at = 0; at < n + 64; at++)
        to[at] = model[at] = (unsigned char)(at * 7);
      check_copy_bytes(model + 13, from + 5, n);
      if (functions[k](to + 13, from + 5, n) != to + 13 || memcmp(to, model, n + 64) != 0)
        return 1;
      check_move_bytes(model + 30, model + 9, n);
      if (functions[k](to + 30, to + 9, n) != to + 30 || memcmp(to, model, n + 64) != 0)
        return 1;
    }
  }
  return 0;
}

static char folder[] = "/tmp/check_table.XXXXXX";
static char file_path[64];

static void write_file(const unsigned char *bytes, size_t size) {
  FILE *file = fopen(file_path, "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    perror(file_path);
    exit(1);
  }
}

/* What FASTCOPY_VERBOSE must print for a plan. */
static void make_line(char *line, size_t size, const struct fc_plan *plan, const char *path) {
  size_t at =
      (size_t)snprintf(line, size, "fastcopy %s: memcpy %s, memmove %s (%s: %s%s%.255s)", FASTCOPY_VERSION_STRING,
                       fc_variants[plan->memcpy_variant].name, fc_variants[plan->memmove_variant].name,
                       fc_source_text(plan->source), fc_reason_text(plan->reason), path[0] != '\0' ? "; " : "", path);
  for (char *c = line; *c != '\0'; c++) {
    if (*c < ' ' || *c == 0x7f)
      *c = '?';
  }
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    if (plan->params[i] == SIZE_MAX)
      at += (size_t)snprintf(line + at, size - at, " %s=never", fc_params[i].name);
    else
      at += (size_t)snprintf(line + at, size - at, " %s=%zu", fc_params[i].name, plan->params[i]);
  }
  snprintf(line + at, size - at, "\n");
}

static struct check_child child;
static unsigned long children;

/* Starts a process with a table: silent, and with one line when it is asked to speak, which tells this very plan. */
static void start_with(const char *path, enum fc_table_status status, const struct fc_table_entry *entry,
                       bool also_silent, const char *what) {
  static char variable[8192];
  const char *const arguments[] = {check_self(), "--copies", NULL};
  snprintf(variable, sizeof variable, "FASTCOPY_TABLE=%s", path);
  for (int verbose = also_silent ? 0 : 1; verbose < 2; verbose++) {
    const char *const variables[] = {variable, verbose ? "FASTCOPY_VERBOSE=1" : NULL, NULL};
    check_run(&child, arguments, variables);
    children++;
    CHECK(child.status == 0, "table: %s: a process with it ends with status %#x", what, child.status);
    CHECK(child.out[0] == '\0', "table: %s: a process with it prints '%s'", what, child.out);
    char line[2048] = "";
    if (verbose) {
      struct fc_env env = {0};
      struct fc_plan plan;
      fc_plan_make(&plan, &check_cpu, status, entry, &env);
      make_line(line, sizeof line, &plan, path);
    }
    CHECK(strcmp(child.err, line) == 0, "table: %s: on standard error stands '%s', not '%s'", what, child.err, line);
  }
}

static void start_with_bytes(const unsigned char *bytes, size_t size, bool also_silent, const char *what) {
  static struct fc_table_scan scan;
  write_file(bytes, size);
  enum fc_table_status status = parse_as(&scan, &check_cpu, bytes, size, 64);
  start_with(file_path, status, &scan.entry, also_silent, what);
}

/* Entries whose checksums fit: any variant, any number. */
static void start_with_entries(void) {
  struct table_layout layout = table_layout(1);
  char what[96];
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    struct fc_table_entry entry = make_entry(i);
    snprintf(what, sizeof what, "a table that names %.23s", fc_variants[i].name);
    start_with_bytes(put(&layout, &entry), table_size(&layout), true, what);
    if (fc_variant_usable(i, &check_cpu)) {
      char named[96];
      snprintf(named, sizeof named, "memcpy %.23s, memmove %.23s (table", fc_variants[i].name,
               fc_variants[FC_BASELINE].name);
      CHECK(strstr(child.err, named) != NULL, "table: %s is not followed: %s", what, child.err);
    }
  }
  const uint64_t numbers[] = {0, 1, 300, 1ull << 32, 1ull << 40, 1ull << 63, UINT64_MAX};
  for (unsigned k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    for (unsigned i = 0; i <= FC_PARAM_COUNT; i++) {
      struct fc_table_entry entry = make_entry(fc_report.plan.memcpy_variant);
      for (unsigned p = 0; p < FC_PARAM_COUNT; p++) {
        if (p == i || i == FC_PARAM_COUNT)
          entry.params[p] = numbers[k];
      }
      snprintf(what, sizeof what, "a table with %llu as %.23s", (unsigned long long)numbers[k],
               i == FC_PARAM_COUNT ? "every number" : fc_params[i].name);
      start_with_bytes(put(&layout, &entry), table_size(&layout), false, what);
    }
  }
  struct fc_table_entry entry = make_entry(FC_BASELINE);
  memset(entry.memcpy_variant, 'x', sizeof entry.memcpy_variant);
  start_with_bytes(put(&layout, &entry), table_size(&layout), true, "a table with a name without end");

  static struct fc_table_entry entries[FC_ENTRY_COUNT_MAX];
  for (unsigned i = 0; i < FC_ENTRY_COUNT_MAX; i++) {
    entries[i] = make_entry(FC_BASELINE);
    entries[i].cpu.id += i + 1 < FC_ENTRY_COUNT_MAX;
  }
  struct table_layout large = table_layout(FC_ENTRY_COUNT_MAX);
  large.entry_size = FC_ENTRY_BYTES_MAX;
  large.header_size = FC_HEADER_BYTES_MAX;
  start_with_bytes(put(&large, entries), table_size(&large), true, "the largest table, whose last entry fits");
}

/* F1: every length, a flipped bit in every byte. */
static void start_with_damage(void) {
  static unsigned char bytes[1024];
  struct fc_table_entry entry = make_entry(FC_BASELINE);
  struct table_layout layout = table_layout(1);
  table_put(bytes, &layout, &entry);
  char what[96];
  /* a process under an emulator takes its time */
  const size_t step = check_emulated() ? 9 : 1;
  for (size_t size = 0; size <= table_size(&layout); size += step) {
    snprintf(what, sizeof what, "a table cut to %zu bytes", size);
    start_with_bytes(bytes, size, size % 63 == 0, what);
  }
  for (size_t at = 0; at < table_size(&layout); at += step) {
    unsigned bit = (unsigned)check_below(8);
    bytes[at] ^= (unsigned char)(1u << bit);
    snprintf(what, sizeof what, "a table with bit %u of byte %zu flipped", bit, at);
    start_with_bytes(bytes, table_size(&layout), at % 63 == 0, what);
    bytes[at] ^= (unsigned char)(1u << bit);
  }
  for (unsigned i = 0; i < 50; i++) {
    size_t size = check_below(5000);
    unsigned char *noise = place(size);
    check_fill(noise, noise, size);
    start_with_bytes(noise, size, false, "noise");
  }
  for (unsigned version = 0; version < 3; version++) {
    layout.version = version;
    start_with_bytes(put(&layout, &entry), table_size(&layout), true, "a table of version 0, 1 or 2");
  }
}

/* Paths that lead to no file, or to what is none. */
static void start_with_strange_paths(void) {
  char path[128];
  static char longest[5000];
  static const struct fc_table_entry none;
  write_file((const unsigned char *)"", 0);

  snprintf(path, sizeof path, "%s/none", folder);
  start_with(path, FC_TABLE_ABSENT, &none, true, "no file");
  snprintf(path, sizeof path, "%s/below", file_path);
  start_with(path, FC_TABLE_ABSENT, &none, true, "a path through a file");
  start_with(folder, FC_TABLE_UNREADABLE, &none, true, "a folder");
  start_with("/proc/self/mem", FC_TABLE_UNREADABLE, &none, true, "/proc/self/mem");
  start_with("/dev/null", FC_TABLE_BAD_LENGTH, &none, true, "/dev/null");
  start_with("/dev/zero", FC_TABLE_BAD_MAGIC, &none, true, "/dev/zero");
  start_with("/dev/full", FC_TABLE_BAD_MAGIC, &none, true, "/dev/full");
  start_with("/dev/urandom", FC_TABLE_BAD_MAGIC, &none, true, "/dev/urandom");
  memset(longest, 'x', sizeof longest - 1);
  longest[0] = '/';
  start_with(longest, FC_TABLE_UNREADABLE, &none, true, "a path that is too long");
  start_with("no\nsuch\tfile\x7f", FC_TABLE_ABSENT, &none, true, "a path with control characters");

  snprintf(path, sizeof path, "%s/loop", folder);
  if (symlink(path, path) == 0)
    start_with(path, FC_TABLE_UNREADABLE, &none, true, "a symbolic link to itself");
  unlink(path);
  snprintf(path, sizeof path, "%s/pipe", folder);
  if (mkfifo(path, 0600) == 0)
    start_with(path, FC_TABLE_BAD_LENGTH, &none, true, "a pipe that nobody writes");
  int writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (writer >= 0)
    start_with(path, FC_TABLE_UNREADABLE, &none, true, "a pipe whose writer waits");
  close(writer);
  unlink(path);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(end, (struct sockaddr *)&address, sizeof address) == 0)
    start_with(address.sun_path, FC_TABLE_UNREADABLE, &none, true, "a socket");
  close(end);
  unlink(address.sun_path);

  /* 1 GiB of nothing, alone and behind a header that promises entries */
  if (truncate(file_path, 1 << 30) == 0)
    start_with(file_path, FC_TABLE_BAD_MAGIC, &none, true, "1 GiB of zeros");
  struct table_layout layout = table_layout(0);
  layout.count = FC_ENTRY_COUNT_MAX;
  write_file(put(&layout, NULL), table_size(&layout));
  if (truncate(file_path, 1 << 30) == 0)
    start_with(file_path, FC_TABLE_NO_ENTRY, &none, true, "1 GiB of zeros behind a header");
}

/* Standard error as a pipe that nobody reads any more, that is full, that takes the line, or closed. */
static void speak_into_pipes(void) {
  enum { BROKEN, FULL, OPEN, CLOSED, ENDS };
  static const char *const names[ENDS] = {"a pipe without a reader", "a full pipe", "a pipe", "nothing"};
  static char text[4096];
  for (unsigned end = 0; end < ENDS; end++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      perror("pipe2");
      exit(1);
    }
    if (end == FULL) {
      fcntl(ends[1], F_SETFL, O_NONBLOCK);
      while (write(ends[1], text, sizeof text) > 0)
        continue;
      fcntl(ends[1], F_SETFL, 0);
    }
    if (end == BROKEN)
      close(ends[0]);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      static char words[4096];
      const char *command[40];
      size_t length = 0;
      check_set_text(words, sizeof words, check_emulated() ? getenv("CHECK_EMULATOR") : "");
      for (char *word = strtok(words, " "); word != NULL && length < 32; word = strtok(NULL, " "))
        command[length++] = word;
      command[length++] = check_self();
      command[length++] = "--copies";
      command[length] = NULL;
      setenv("FASTCOPY_VERBOSE", "1", 1);
      /* what the program that started the test ignores, this one must not */
      signal(SIGPIPE, SIG_DFL);
      signal(SIGALRM, SIG_DFL);
      alarm(20);
      if (end == CLOSED)
        close(2);
      else
        dup2(ends[1], 2);
      execvp(command[0], (char *const *)command);
      _exit(126);
    }
    int status = -1;
    close(ends[1]);
    waitpid(pid, &status, 0);
    children++;
    CHECK(status == 0, "table: a process that speaks into %s ends with status %#x%s", names[end], status,
          WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? ": it hangs" : "");
    if (end == OPEN) {
      ssize_t got = read(ends[0], text, sizeof text - 1);
      text[got > 0 ? got : 0] = '\0';
      CHECK(strncmp(text, "fastcopy ", 9) == 0 && check_lines(text) == 1, "table: into a pipe is written '%s'", text);
    }
    if (end != BROKEN)
      close(ends[0]);
  }
}

static int check_processes(void) {
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    return 1;
  }
  snprintf(file_path, sizeof file_path, "%s/tuning.fct", folder);
  start_with_entries();
  start_with_damage();
  start_with_strange_paths();
  speak_into_pipes();
  unlink(file_path);
  rmdir(folder);
  printf("%lu processes started\n", children);
  return check_end();
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--copies") == 0)
    return copies();
  int first = check_begin(argc, argv);
  if (first == argc - 1 && strcmp(argv[first], "processes") == 0)
    return check_processes();
  if (first != argc - 1 || strcmp(argv[first], "bytes") != 0) {
    fprintf(stderr, "usage: check_table [--seed NUMBER] bytes | processes\n");
    return 2;
  }
  check_crc();
  check_round_trip();
  check_damage();
  check_layouts();
  check_many();
  check_fleet();
  check_texts();
  check_noise();
  return check_end();
}
