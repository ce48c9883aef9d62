/* SPDX-License-Identifier: MIT */
/*
 * What libfastcopy adds to the start of a process: /bin/true started over and over, in turn with an empty library and
 * with libfastcopy preloaded, pinned to one CPU.
 *
 * usage: bench_startup <empty.so> <libfastcopy.so> <table> [starts, 1500]
 * Prints the medians and the difference in microseconds. Exit status 0 done, 1 failed, 2 wrong usage.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { NOTHING, EMPTY, WITHOUT_TABLE, WITH_TABLE, KINDS };
static const char *const kind_names[KINDS] = {"no preload", "an empty library", "libfastcopy, no table",
                                              "libfastcopy and its table"};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Microseconds from spawn to exit, or -1. posix_spawn is a vfork: the size of this process does not count. */
static double start(char *const envp[]) {
  char *argv[] = {"/bin/true", NULL};
  pid_t pid;
  int status;
  double begin = now();
  if (posix_spawn(&pid, argv[0], NULL, NULL, argv, envp) != 0 || waitpid(pid, &status, 0) != pid || status != 0)
    return -1;
  return now() - begin;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* On the CPU that runs us now, which the scheduler thought idle. */
static void pin(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)sched_getcpu(), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    fprintf(stderr, "bench_startup: not pinned to a CPU\n");
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: bench_startup <empty.so> <libfastcopy.so> <table> [starts]\n");
    return 2;
  }
  size_t starts = argc == 5 ? strtoul(argv[4], NULL, 10) : 1500;
  if (starts == 0)
    return 2;
  char empty[4096], library[4096], table[4096], none[] = "FASTCOPY_TABLE=/nonexistent";
  snprintf(empty, sizeof empty, "LD_PRELOAD=%s", argv[1]);
  snprintf(library, sizeof library, "LD_PRELOAD=%s", argv[2]);
  snprintf(table, sizeof table, "FASTCOPY_TABLE=%s", argv[3]);
  char *environments[KINDS][3] = {{NULL}, {empty, none}, {library, none}, {library, table}};
  double *times = malloc(KINDS * starts * sizeof *times);
  if (times == NULL)
    return 1;
  pin();
  for (size_t i = 0; i < starts; i++) {
    for (size_t kind = 0; kind < KINDS; kind++) {
      double *time = &times[kind * starts + i];
      *time = start(environments[kind]);
      if (*time < 0) {
        fprintf(stderr, "bench_startup: /bin/true with %s: failed\n", kind_names[kind]);
        return 1;
      }
    }
  }
  printf("%-28s %10s %10s\n", "microseconds a process", "median", "added");
  double base = 0;
  for (size_t kind = 0; kind < KINDS; kind++) {
    qsort(times + kind * starts, starts, sizeof *times, ascending);
    double median = times[kind * starts + starts / 2];
    if (kind == EMPTY)
      base = median;
    printf("%-28s %10.1f", kind_names[kind], median);
    if (kind > EMPTY)
      printf(" %+10.1f", median - base);
    printf("\n");
  }
  free(times);
  return 0;
}
