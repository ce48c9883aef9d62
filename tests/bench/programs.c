/* SPDX-License-Identifier: MIT */
/*
 * What libfastcopy gives real programs: their user time under the plan in force against that under one branchy variant
 * with the built-in rules, and against none of it, run in turn.
 *
 * usage: bench_programs <libfastcopy.so> <branchy variant> <rounds> <list>
 * The list holds a program a line: a name, a tab, and a command for sh, whose output is thrown away. Prints for each the
 * median and the 20 % quantile of the rounds' ratios; above 1 the plan is faster. FASTCOPY_TABLE is the caller's.
 * Exit status 0 done, 1 failed, 2 wrong usage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The plan stands between the other two, so that each round has both pairs side by side. */
enum { BRANCHY, PLAN, NOTHING, KINDS };

struct program {
  char name[64];
  char *command;
  double *seconds; /* [round * KINDS + kind] */
};

static const char *library, *variant;

/* User seconds of the command and of all that it waited for; -1 with a line on standard error. */
static double run(const char *name, const char *command, int kind) {
  pid_t pid = fork();
  if (pid == 0) {
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
      _exit(126);
    if (kind != NOTHING)
      setenv("LD_PRELOAD", library, 1);
    if (kind == BRANCHY) {
      setenv("FASTCOPY_VARIANT", variant, 1);
      setenv("FASTCOPY_DISABLE", "table", 1);
    }
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(126);
  }
  int status;
  struct rusage usage;
  pid_t waited = -1;
  while (pid > 0 && (waited = wait4(pid, &status, 0, &usage)) < 0 && errno == EINTR)
    continue;
  if (waited != pid || status != 0) {
    fprintf(stderr, "bench_programs: %s failed: %s\n", name, command);
    return -1;
  }
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of sorted values, between two ranks. */
static double quantile(const double *sorted, size_t count, double part) {
  double rank = part * (double)(count - 1);
  size_t below = (size_t)rank;
  double value = sorted[below];
  if (below + 1 < count)
    value += (rank - (double)below) * (sorted[below + 1] - sorted[below]);
  return value;
}

/* Median and 20 % quantile of the ratios of `kind` to the plan. */
static void ratios(const struct program *program, size_t rounds, int kind, double *values, double *median,
                   double *low) {
  for (size_t i = 0; i < rounds; i++)
    values[i] = program->seconds[i * KINDS + (size_t)kind] / program->seconds[i * KINDS + PLAN];
  qsort(values, rounds, sizeof *values, ascending);
  *median = quantile(values, rounds, 0.5);
  *low = quantile(values, rounds, 0.2);
}

/* Returns how many, or 0 with a line on standard error. */
static size_t read_list(const char *path, struct program **programs) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    fprintf(stderr, "bench_programs: %s: %s\n", path, strerror(errno));
    return 0;
  }
  size_t count = 0, room = 0;
  char *line = NULL;
  for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
    line[strcspn(line, "\n")] = '\0';
    char *tab = strchr(line, '\t');
    struct program *grown = tab == NULL ? NULL : realloc(*programs, (count + 1) * sizeof *grown);
    if (grown == NULL) {
      fprintf(stderr, "bench_programs: %s: a name, a tab and a command are a line\n", path);
      count = 0;
      break;
    }
    *programs = grown;
    snprintf(grown[count].name, sizeof grown[count].name, "%.*s", (int)(tab - line), line);
    grown[count++].command = strdup(tab + 1);
  }
  free(line);
  fclose(file);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 5 || strtoul(argv[3], NULL, 10) == 0) {
    fprintf(stderr, "usage: bench_programs <libfastcopy.so> <branchy variant> <rounds> <list>\n");
    return 2;
  }
  library = argv[1];
  variant = argv[2];
  size_t rounds = strtoul(argv[3], NULL, 10);
  struct program *programs = NULL;
  size_t count = read_list(argv[4], &programs);
  double *values = malloc(rounds * sizeof *values);
  if (count == 0 || values == NULL)
    return 1;
  char branchy[32], without[] = "no preload";
  snprintf(branchy, sizeof branchy, "%s, no table", variant);
  printf("%-18s %8s   %-19s   %-19s\n", "", "", branchy, without);
  printf("%-18s %8s   %9s %9s   %9s %9s\n", "program", "user s", "median", "20 %", "median", "20 %");
  double logs[KINDS] = {0};
  for (size_t p = 0; p < count; p++) {
    struct program *program = &programs[p];
    program->seconds = malloc(rounds * KINDS * sizeof *program->seconds);
    if (program->seconds == NULL || program->command == NULL)
      return 1;
    /* once for the page cache */
    double once = run(program->name, program->command, PLAN);
    for (size_t i = 0; i < rounds && once >= 0; i++) {
      for (int turn = 0; turn < KINDS; turn++) {
        int kind = i % 2 == 0 ? turn : KINDS - 1 - turn;
        double *seconds = &program->seconds[i * KINDS + (size_t)kind];
        *seconds = run(program->name, program->command, kind);
        if (*seconds < 0)
          return 1;
      }
    }
    if (once < 0)
      return 1;
    double median[KINDS], low[KINDS];
    for (size_t i = 0; i < rounds; i++)
      values[i] = program->seconds[i * KINDS + PLAN];
    qsort(values, rounds, sizeof *values, ascending);
    median[PLAN] = quantile(values, rounds, 0.5);
    ratios(program, rounds, BRANCHY, values, &median[BRANCHY], &low[BRANCHY]);
    ratios(program, rounds, NOTHING, values, &median[NOTHING], &low[NOTHING]);
    printf("%-18s %8.3f   %9.3f %9.3f   %9.3f %9.3f\n", program->name, median[PLAN], median[BRANCHY], low[BRANCHY],
           median[NOTHING], low[NOTHING]);
    fflush(stdout);
    logs[BRANCHY] += log(median[BRANCHY]);
    logs[NOTHING] += log(median[NOTHING]);
  }
  printf("%-18s %8s   %9.3f %9s   %9.3f\n", "geometric mean", "", exp(logs[BRANCHY] / (double)count), "",
         exp(logs[NOTHING] / (double)count));
  for (size_t p = 0; p < count; p++) {
    free(programs[p].command);
    free(programs[p].seconds);
  }
  free(programs);
  free(values);
  return 0;
}
