/* SPDX-License-Identifier: MIT */
/*
 * What runs when the loader relocates the library: read, choose, publish. The process is half-built: no
 * absolute relocation, no call outside, no large stack frame (dlopen may run this on a small thread stack).
 */
#include "dispatch/resolver.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>

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

/* Owned by root and writable by nobody else. */
static int trusted(long fd) {
  fc_stat status; /* no initialiser: a compiler may make it a call of memset */
  status.st_uid = (unsigned)-1;
  status.st_mode = 0777;
  if (fc_syscall4(FC_NR_fstatat, fd, (long)"", (long)&status, AT_EMPTY_PATH) != 0)
    return 0;
  return status.st_uid == 0 && (status.st_mode & 022) == 0;
}

/* The calls that the loader itself makes to find a library, so that a sandbox lets them through: openat, fstat, close. */
static long open_read(long folder, const char *path, int flags) {
  return fc_syscall4(__NR_openat, folder, (long)path, O_RDONLY | O_CLOEXEC | flags, 0);
}

/* The table of a secure process: by the folder, so that what was looked at is what is read. */
static long open_trusted(void) {
  long folder = open_read(AT_FDCWD, FC_TABLE_FOLDER, O_DIRECTORY | O_NOFOLLOW);
  if (folder < 0)
    return folder;
  long fd = -EPERM;
  if (trusted(folder))
    fd = open_read(folder, FC_TABLE_NAME, O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  fc_syscall4(__NR_close, folder, 0, 0, 0);
  if (fd >= 0 && !trusted(fd)) {
    fc_syscall4(__NR_close, fd, 0, 0, 0);
    fd = -EPERM;
  }
  return fd;
}

static enum fc_table_status read_table(struct fc_table_scan *scan, const char *path, int secure) {
  /* O_NONBLOCK: a user's path may be a pipe that nobody writes; O_NOCTTY: or a terminal */
  long fd = secure ? open_trusted() : open_read(AT_FDCWD, path, O_NONBLOCK | O_NOCTTY);
  if (fd == -ENOENT || fd == -ENOTDIR)
    return FC_TABLE_ABSENT;
  if (secure && (fd == -EPERM || fd == -ELOOP))
    return FC_TABLE_UNTRUSTED;
  if (fd < 0)
    return FC_TABLE_UNREADABLE;
  unsigned char bytes[READ_SIZE];
  long size;
  while ((size = fc_syscall4(__NR_read, fd, (long)bytes, sizeof bytes, 0)) > 0) {
    fc_table_feed(scan, bytes, (size_t)size);
    if (scan->done)
      break;
  }
  fc_syscall4(__NR_close, fd, 0, 0, 0);
  return size < 0 ? FC_TABLE_UNREADABLE : fc_table_end(scan);
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

/* Would a write to standard error neither block nor end in SIGPIPE? The line is worth neither. */
static int can_speak(void) {
  struct pollfd error;
  error.fd = 2;
  error.events = POLLOUT;
  error.revents = 0;
  return fc_syscall4(__NR_poll, (long)&error, 1, 0, 0) == 1 && error.revents == POLLOUT;
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
  if (can_speak())
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

void fc_live_set(const struct fc_plan *plan) {
  fc_live.memcpy_slot = fc_slot(&fc_live.memcpy_slot, fc_variant_body(plan->memcpy_variant));
  fc_live.memmove_slot = fc_slot(&fc_live.memmove_slot, fc_variant_body(plan->memmove_variant));
  /* an architecture's entries may use the slots as soon as the parameters are there */
  __asm__ volatile("" ::: "memory");
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    fc_live.params[i] = plan->params[i];
}

static void publish(void) {
  fc_plan_of_process(&fc_report, 1);
  fc_live_set(&fc_report.plan);
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
