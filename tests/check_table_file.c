/* SPDX-License-Identifier: MIT */
/*
 * The writer and reader of fastcopy-tune against the reader of the library and the writer of the tests: what one
 * writes the other reads, and what one refuses the other refuses.
 */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/plan.h"
#include "make_table.h"
#include "tune/table_file.h"
#include "tune/tune.h"

static char folder[] = "/tmp/check_table_file.XXXXXX";
static char path[64];
static unsigned errors;

/* The writer's error lines are counted, not printed. */
void tune_error(const char *format, ...) {
  va_list arguments;
  char line[1024];
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  CHECK(strchr(line, '\n') == NULL, "table file: an error of several lines: %s", line);
  errors++;
}

static struct fc_table_entry random_entry(void) {
  struct fc_table_entry entry = {.cpu = {.arch = FC_ARCH_THIS, .id = (uint32_t)check_below(8)},
                                 .feature_hash = check_below(4),
                                 .param_count = FC_PARAM_COUNT,
                                 .gain = (uint32_t)check_random(),
                                 .time = check_random()};
  check_set_text(entry.memcpy_variant, FC_NAME_BYTES, fc_variants[check_below(FC_VARIANT_COUNT)].name);
  check_set_text(entry.memmove_variant, FC_NAME_BYTES, fc_variants[check_below(FC_VARIANT_COUNT)].name);
  check_set_text(entry.tool, sizeof entry.tool, "0.1.0");
  check_set_text(entry.cpu_name, sizeof entry.cpu_name,
                 "a CPU whose name is cut to fit into its field, since it is long");
  for (unsigned i = 0; i < FC_TABLE_PARAMS; i++)
    entry.params[i] = check_random() >> check_below(64);
  return entry;
}

static bool same_entry(const struct fc_table_entry *a, const struct fc_table_entry *b) {
  return a->cpu.arch == b->cpu.arch && a->cpu.id == b->cpu.id && a->feature_hash == b->feature_hash &&
         strcmp(a->memcpy_variant, b->memcpy_variant) == 0 && strcmp(a->memmove_variant, b->memmove_variant) == 0 &&
         memcmp(a->params, b->params, sizeof a->params) == 0 && a->param_count == b->param_count &&
         a->gain == b->gain && a->time == b->time && strcmp(a->tool, b->tool) == 0 &&
         strcmp(a->cpu_name, b->cpu_name) == 0;
}

static size_t read_bytes(unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  size_t length = file != NULL ? fread(bytes, 1, size, file) : 0;
  if (file != NULL)
    fclose(file);
  return length;
}

static void write_bytes(const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

/* The library's reader, asked for one signature. */
static enum fc_table_status scan_for(struct fc_table_scan *scan, const struct fc_table_entry *entry,
                                     const unsigned char *bytes, size_t size) {
  struct fc_cpu cpu = {.arch = entry->cpu.arch, .id = entry->cpu.id};
  fc_table_begin(scan, &cpu);
  scan->feature_hash = entry->feature_hash;
  fc_table_feed(scan, bytes, size);
  return fc_table_end(scan);
}

/* Tune writes, the library reads every entry. */
static void check_writer(void) {
  static unsigned char bytes[256 * 1024];
  static struct fc_table_scan scan;
  for (unsigned turn = 0; turn < 40; turn++) {
    struct table_file file = {0}, again;
    for (size_t count = check_below(20); count > 0; count--) {
      struct fc_table_entry entry = random_entry();
      CHECK(table_file_put(&file, &entry) == 0, "table file: an entry is refused");
    }
    if (turn % 2 == 0 && asprintf(&file.curves, "{\"turn\": %u, \"text\": \"%*u\"}", turn, 3000, turn) < 0)
      exit(1);
    CHECK(table_file_write(&file, path) == 0, "table file: not written");
    size_t size = read_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < file.count; i++)
      CHECK(scan_for(&scan, &file.entries[i], bytes, size) == FC_TABLE_MATCH &&
                same_entry(&scan.entry, &file.entries[i]),
            "table file: the library does not find entry %zu as it was put", i);
    struct fc_table_entry absent = {.cpu = {.arch = FC_ARCH_THIS, .id = 99}};
    CHECK(scan_for(&scan, &absent, bytes, size) == FC_TABLE_NO_ENTRY, "table file: the library finds what was not put");
    CHECK(fc_crc32(0, bytes, FC_HEADER_BYTES - 4) == fc_load_le(bytes + FC_HEADER_BYTES - 4, 4),
          "table file: the header's CRC does not fit");

    enum fc_table_status status = table_file_read(&again, path);
    CHECK(status == FC_TABLE_MATCH && again.count == file.count, "table file: read back: %s, %zu of %zu entries",
          fc_reason_text(status), again.count, file.count);
    CHECK((file.curves == NULL) == (again.curves == NULL) &&
              (file.curves == NULL || (again.curves != NULL && strcmp(file.curves, again.curves) == 0)),
          "table file: the curves are not read back");
    struct stat status_of_file;
    CHECK(stat(path, &status_of_file) == 0 && (status_of_file.st_mode & 0777) == 0644,
          "table file: it is written with mode %o", status_of_file.st_mode & 0777);
    table_file_free(&file);
    table_file_free(&again);
  }
  CHECK(errors == 0, "table file: %u errors from good files", errors);
}

/* The tests write, tune reads: all layouts, and damage, which both readers must refuse alike. */
static void check_reader(void) {
  static unsigned char bytes[64 * 1024];
  static struct fc_table_scan scan;
  struct fc_table_entry entries[4];
  for (unsigned turn = 0; turn < 3000; turn++) {
    struct table_layout layout = table_layout(1 + (unsigned)check_below(4));
    for (unsigned i = 0; i < layout.entries; i++) {
      entries[i] = random_entry();
      entries[i].cpu.id = i;
    }
    if (turn % 3 == 0) {
      layout.header_size += (unsigned)check_below(FC_HEADER_BYTES_MAX - FC_HEADER_BYTES + 1);
      layout.entry_size += (unsigned)check_below(FC_ENTRY_BYTES_MAX - FC_ENTRY_BYTES + 1);
    }
    table_put(bytes, &layout, entries);
    size_t size = table_size(&layout);
    if (turn % 4 == 1)
      size = check_below(size);
    else if (turn % 4 == 2)
      bytes[check_below(size)] ^= (unsigned char)(1u << check_below(8));
    write_bytes(bytes, size);

    struct table_file file;
    enum fc_table_status status = table_file_read(&file, path);
    if (turn % 4 == 0 || turn % 4 == 3) {
      CHECK(status == FC_TABLE_MATCH && file.count == layout.entries, "table file: a good table: %s",
            fc_reason_text(status));
      for (size_t i = 0; i < file.count; i++)
        CHECK(same_entry(&file.entries[i], &entries[i]), "table file: entry %zu is read wrong", i);
    } else {
      /* this reader checks all of the file, the library's what it needs */
      CHECK(status != FC_TABLE_MATCH && file.count == 0, "table file: a damaged table is believed");
      enum fc_table_status other = scan_for(&scan, &entries[0], bytes, size);
      CHECK(other == FC_TABLE_MATCH || other == FC_TABLE_NO_ENTRY || other == status ||
                (size < FC_HEADER_BYTES && other == FC_TABLE_BAD_LENGTH),
            "table file: damage of %zu bytes is '%s' to the one reader and '%s' to the other", size,
            fc_reason_text(status), fc_reason_text(other));
    }
    table_file_free(&file);
  }
}

/* F6: what cannot be written is said in one line, and leaves the old file as it was. */
static void check_refusals(void) {
  unsigned char before[4096], after[4096];
  struct table_file file = {0};
  struct fc_table_entry entry = random_entry();
  table_file_put(&file, &entry);
  CHECK(table_file_write(&file, path) == 0, "table file: not written");
  size_t size = read_bytes(before, sizeof before);
  char below[128];
  snprintf(below, sizeof below, "%s/none/tuning.fct", folder);
  const char *const paths[] = {below, folder, "/dev/null", "", "/proc/tuning.fct"};
  for (unsigned i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    errors = 0;
    CHECK(table_file_write(&file, paths[i]) == -1 && errors == 1, "table file: writing '%s' gives %u error lines",
          paths[i], errors);
    errors = 0;
    CHECK(table_file_writable(paths[i]) == -1 && errors == 1, "table file: '%s' is called writable, %u error lines",
          paths[i], errors);
  }
  CHECK(table_file_writable(path) == 0, "table file: a file that was just written is not writable");
  CHECK(read_bytes(after, sizeof after) == size && memcmp(before, after, size) == 0,
        "table file: asking whether it can be written changes the file");
  table_file_free(&file);
}

/* Asking whether it can be written, interrupted at any moment: the folder must be as it was, which main() checks. */
static void check_interruption(void) {
  enum { TIMES = 60 };
  for (unsigned i = 0; i < TIMES; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      signal(SIGTERM, SIG_DFL);
      while (table_file_writable(path) == 0)
        continue;
      _exit(1);
    }
    usleep(1000 + (useconds_t)check_below(3000));
    int status = 0;
    kill(pid, SIGTERM);
    waitpid(pid, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "table file: interrupted, it ends with status %#x",
          status);
  }
}

/* The lock is asked for before a measurement, too. */
static void check_locked(void) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0, "table file: the folder cannot be locked");
  errors = 0;
  CHECK(table_file_writable(path) == -1 && errors == 1,
        "table file: called writable while another process has its lock, %u error lines", errors);
  close(fd);
  CHECK(table_file_writable(path) == 0, "table file: not writable once the lock is free");
}

int main(int argc, char **argv) {
  check_begin(argc, argv);
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    return 1;
  }
  snprintf(path, sizeof path, "%s/tuning.fct", folder);
  check_writer();
  check_reader();
  check_refusals();
  check_interruption();
  check_locked();
  unlink(path);
  CHECK(rmdir(folder) == 0, "table file: something is left in the folder");
  return check_end();
}
