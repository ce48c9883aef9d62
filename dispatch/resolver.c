/* SPDX-License-Identifier: MIT */
/*
 * What runs when the loader relocates the library: read, choose, publish. The process is half-built: no
 * absolute relocation, no call outside, no large stack frame (dlopen may run this on a small thread stack).
 */
#include "dispatch/resolver.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "arch_syscall.h"
#include "dispatch/plan.h"
#include "lib/fastcopy.h"

#if !defined FC_TABLE_FOLDER || !defined FC_TABLE_NAME
#error "FC_TABLE_FOLDER and FC_TABLE_NAME: where the tuning table lies, set by the build"
#endif
#define FC_TABLE_PATH FC_TABLE_FOLDER "/" FC_TABLE_NAME

/* Filled before the loader turns it read-only; the C initialisers describe a process without a resolver. */
struct fc_report fc_report __attribute__((section(".data.rel.ro"))) = {0};

#define READ_SIZE 2048

/* Owned by root and writable by nobody else. flags: AT_EMPTY_PATH to ask about fd itself. */
static int trusted(int fd, const char *path, int flags) {
  struct statx status; /* no initialiser: a compiler may make it a call of memset */
  status.stx_uid = (unsigned)-1;
  status.stx_mode = 0777;
  if (fc_syscall5(__NR_statx, fd, (long)path, flags, STATX_UID | STATX_MODE, (long)&status) != 0)
    return 0;
  return status.stx_uid == 0 && (status.stx_mode & 022) == 0;
}

static enum fc_table_status read_table(struct fc_table_scan *scan, const char *path, int secure) {
  /* O_NONBLOCK: a user's path may be a pipe that nobody writes; O_NOCTTY: or a terminal */
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (secure ? O_NOFOLLOW : 0);
  long fd = fc_syscall4(__NR_openat, AT_FDCWD, (long)path, flags, 0);
  if (fd < 0)
    return fd == -ENOENT || fd == -ENOTDIR ? FC_TABLE_ABSENT : FC_TABLE_UNREADABLE;
  enum fc_table_status status = FC_TABLE_UNTRUSTED;
  if (!secure || (trusted((int)fd, "", AT_EMPTY_PATH) && trusted(AT_FDCWD, FC_TABLE_FOLDER, AT_SYMLINK_NOFOLLOW))) {
    unsigned char bytes[READ_SIZE];
    long size;
    while ((size = fc_syscall4(__NR_read, fd, (long)bytes, sizeof bytes, 0)) > 0) {
      fc_table_feed(scan, bytes, (size_t)size);
      if (scan->done)
        break;
    }
    status = size < 0 ? FC_TABLE_UNREADABLE : fc_table_end(scan);
  }
  fc_syscall4(__NR_close, fd, 0, 0, 0);
  return status;
}

/* A line of text that is cut, never overrun. */
struct line {
  char text[512];
  size_t length;
};

static void put(struct line *line, const char *text) {
  while (*text != '\0' && line->length < sizeof line->text - 1) {
    /* a path may hold anything; the line stays one line */
    char c = *text++;
    line->text[line->length++] = c >= ' ' && c != 0x7f ? c : '?';
  }
}

static void put_number(struct line *line, size_t value) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = '\0';
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  put(line, digits + at);
}

/* What FASTCOPY_VERBOSE asks for: one line, one write. */
static void say(const struct fc_report *report) {
  const struct fc_plan *plan = &report->plan;
  struct line line;
  line.length = 0;
  put(&line, "fastcopy " FASTCOPY_VERSION_STRING ": memcpy ");
  put(&line, fc_variants[plan->memcpy_variant].name);
  put(&line, ", memmove ");
  put(&line, fc_variants[plan->memmove_variant].name);
  put(&line, " (");
  put(&line, fc_source_text(plan->source));
  put(&line, ": ");
  put(&line, fc_reason_text(plan->reason));
  if (report->table[0] != '\0') {
    put(&line, "; ");
    put(&line, report->table);
  }
  put(&line, ")");
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    put(&line, " ");
    put(&line, fc_params[i].name);
    put(&line, "=");
    if (plan->params[i] == SIZE_MAX)
      put(&line, "never");
    else
      put_number(&line, plan->params[i]);
  }
  line.text[line.length++] = '\n';
  fc_syscall4(__NR_write, 2, (long)line.text, (long)line.length, 0);
}

void fc_plan_of_process(struct fc_report *report, int may_speak) {
  struct fc_startup startup;
  struct fc_env env;
  struct fc_table_scan scan;
  enum fc_table_status status = FC_TABLE_NOT_ASKED;
  fc_startup_read(&startup);
  fc_env_read(&env, &startup);
  fc_cpu_detect(&report->cpu, &startup);
  report->cpu.features &= ~(uint64_t)fc_env_disabled(env.disable);

  report->table[0] = '\0';
  if (startup.found && !fc_list_has(env.disable, "table")) {
    const char *path = env.table != NULL ? env.table : FC_TABLE_PATH;
    size_t i = 0;
    for (; path[i] != '\0' && i < sizeof report->table - 1; i++)
      report->table[i] = path[i];
    report->table[i] = '\0';
    fc_table_begin(&scan, &report->cpu);
    status = read_table(&scan, path, startup.secure);
  }
  fc_plan_make(&report->plan, &report->cpu, status, &scan.entry, &env);
  if (env.verbose && may_speak)
    say(report);
}

static void publish(void) {
  fc_plan_of_process(&fc_report, 1);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    fc_live.params[i] = fc_report.plan.params[i];
  fc_live.memcpy_slot = fc_variant_body(fc_report.plan.memcpy_variant);
  fc_live.memmove_slot = fc_variant_body(fc_report.plan.memmove_variant);
  fc_report.published = 1;
}

void *fc_resolve(void) {
  if (!fc_report.published)
    publish();
  return (void *)fc_entry_memcpy;
}

/*
 * The public IFUNCs may be bound before the plan is published: in a static program, and before the library itself is
 * relocated where nothing tells the loader of the dependency. Then the answer is the plain entry, which goes the way of
 * the slots whenever they are filled; so it is where the entry's own small path is in force.
 */
static int entry_is_best(void) { return !fc_report.published || fc_entry_small(fc_live.params); }

void *fc_resolve_memcpy(void) {
  if (entry_is_best())
    return (void *)fc_entry_memcpy;
  return (void *)fc_variant_function(fc_report.plan.memcpy_variant);
}

void *fc_resolve_memmove(void) {
  if (entry_is_best())
    return (void *)fc_entry_memmove;
  return (void *)fc_variant_function(fc_report.plan.memmove_variant);
}

void *fc_resolve_mempcpy(void) {
  if (entry_is_best())
    return (void *)fc_entry_mempcpy;
  return (void *)fc_variant_mempcpy(fc_report.plan.memcpy_variant);
}
