/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getcpu */
#include "identity.h"

#include <ctype.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arch/identity.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* What a level of cache may be: the highest are beyond what was ever built, or (L3) the most that was. */
static const struct level {
  const char *name;
  size_t lowest, highest, fallback;
} levels[] = {
    {"L1", 4 * KIB, 1 * MIB, 32 * KIB},
    {"L2", 64 * KIB, 256 * MIB, 512 * KIB},
    {"L3", 256 * KIB, 504 * MIB, 8 * MIB},
};

static bool plausible(size_t bytes, size_t lowest, size_t highest) { return bytes >= lowest && bytes <= highest; }

/* More than twice each other. */
static bool contradict(size_t a, size_t b) { return a / 2 > b || b / 2 > a; }

struct cache_size cache_size_settle(size_t from_libcpuid, size_t from_kernel, size_t lowest, size_t highest,
                                    size_t fallback) {
  bool libcpuid = plausible(from_libcpuid, lowest, highest);
  bool kernel = plausible(from_kernel, lowest, highest);
  /* too small a size costs a little speed, too large a one is a cliff */
  if (libcpuid && (!kernel || from_libcpuid <= from_kernel))
    return (struct cache_size){from_libcpuid, CACHE_LIBCPUID};
  if (kernel)
    return (struct cache_size){from_kernel, CACHE_KERNEL};
  return (struct cache_size){fallback, fallback != 0 ? CACHE_DEFAULT : CACHE_UNKNOWN};
}

const char *cache_source_text(enum cache_source source) {
  switch (source) {
  case CACHE_LIBCPUID:
    return "libcpuid";
  case CACHE_KERNEL:
    return "kernel";
  case CACHE_MEASURED:
    return "measured";
  case CACHE_DEFAULT:
    return "assumed";
  case CACHE_UNKNOWN:
    break;
  }
  return "unknown";
}

static void doubt(struct identity *identity, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void doubt(struct identity *identity, const char *format, ...) {
  size_t length = strlen(identity->doubts);
  if (length != 0)
    length += (size_t)snprintf(identity->doubts + length, sizeof identity->doubts - length, "; ");
  if (length >= sizeof identity->doubts)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(identity->doubts + length, sizeof identity->doubts - length, format, args);
  va_end(args);
}

static void settle(struct identity *identity, struct cache_size *size, const struct level *level,
                   const struct fc_identity *said, size_t from_cpu, size_t from_kernel) {
  *size = cache_size_settle(from_cpu, from_kernel, level->lowest, level->highest, level->fallback);
  const size_t reports[] = {from_cpu, from_kernel};
  const char *const names[] = {said->source, "the kernel"};
  bool believed = true;
  for (int i = 0; i < 2; i++) {
    if (reports[i] != 0 && !plausible(reports[i], level->lowest, level->highest)) {
      doubt(identity, "%s: %zu KiB from %s is absurd", level->name, reports[i] / KIB, names[i]);
      believed = false;
    }
  }
  if (from_cpu == 0 && from_kernel == 0)
    doubt(identity, "%s: none reported", level->name);
  else if (believed && from_cpu != 0 && from_kernel != 0 && contradict(from_cpu, from_kernel))
    doubt(identity, "%s: %s says %zu KiB and the kernel %zu KiB, the smaller is taken", level->name, said->source,
          from_cpu / KIB, from_kernel / KIB);
}

/* The first line of a file; "" when there is none. */
static void read_line(char *line, int size, const char *path) {
  line[0] = '\0';
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return;
  if (fgets(line, size, file) == NULL)
    line[0] = '\0';
  line[strcspn(line, "\n")] = '\0';
  fclose(file);
}

/* The size of one data or unified cache as the kernel has it, 0 when it has none. */
static size_t kernel_cache(int level) {
  int cpu = sched_getcpu();
  for (int index = 0; index < 16; index++) {
    char path[96], text[32];
    int length = snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/", cpu < 0 ? 0 : cpu, index);
    const size_t room = sizeof path - (size_t)length;
    snprintf(path + length, room, "level");
    read_line(text, sizeof text, path);
    int its_level = 0;
    if (sscanf(text, "%d", &its_level) != 1)
      break;
    snprintf(path + length, room, "type");
    read_line(text, sizeof text, path);
    if (its_level != level || strcmp(text, "Instruction") == 0)
      continue;
    snprintf(path + length, room, "size");
    read_line(text, sizeof text, path);
    unsigned long long number = 0;
    char unit = '\0';
    if (sscanf(text, "%llu%c", &number, &unit) < 1)
      return 0;
    unsigned shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
    return number > SIZE_MAX >> shift ? SIZE_MAX : (size_t)number << shift;
  }
  return 0;
}

/* Printable ASCII with single blanks. */
static void copy_text(char *to, size_t size, const char *from) {
  size_t length = 0;
  for (; *from != '\0' && length < size - 1; from++) {
    char c = *from > ' ' && *from < 0x7f ? *from : ' ';
    if (c != ' ' || (length != 0 && to[length - 1] != ' '))
      to[length++] = c;
  }
  if (length != 0 && to[length - 1] == ' ')
    length--;
  to[length] = '\0';
}

/* What /proc/cpuinfo calls the CPU. */
static void kernel_name(char *name, size_t size) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (file == NULL)
    return;
  char line[256];
  while (name[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (colon != NULL && (strncmp(line, "model name", 10) == 0 || (strncmp(line, "cpu", 3) == 0 && !isalnum(line[3]))))
      copy_text(name, size, colon + 1);
  }
  fclose(file);
}

void identity_read(struct identity *identity) {
  memset(identity, 0, sizeof *identity);
  struct fc_identity said = {0};
  fc_identity_read(&said);
  copy_text(identity->vendor, sizeof identity->vendor, said.vendor);
  copy_text(identity->name, sizeof identity->name, said.name);
  if (identity->name[0] == '\0')
    kernel_name(identity->name, sizeof identity->name);
  if (identity->name[0] == '\0')
    copy_text(identity->name, sizeof identity->name, identity->vendor[0] != '\0' ? identity->vendor : "unnamed CPU");

  settle(identity, &identity->l1d, &levels[0], &said, said.l1d, kernel_cache(1));
  settle(identity, &identity->l2, &levels[1], &said, said.l2, kernel_cache(2));
  settle(identity, &identity->l3, &levels[2], &said, said.l3, kernel_cache(3));
}
