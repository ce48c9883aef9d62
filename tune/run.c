/* SPDX-License-Identifier: MIT */
/* fastcopy-run: one program under libfastcopy, without touching the system. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dispatch/plan.h"
#include "lib/fastcopy.h"
#include "preload.h"

#ifndef RUN_SONAME
#error "RUN_SONAME: the name of the library, set by the build"
#endif

enum { FAILED = 1, USAGE = 2 };

static const char help[] =
    "Usage: fastcopy-run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "Run PROGRAM with the copy functions of libfastcopy, by LD_PRELOAD.\n"
    "\n"
    "  -t, --table=FILE    the tuning table to use (FASTCOPY_TABLE)\n"
    "  -v, --variant=NAME  the copy variant to use (FASTCOPY_VARIANT): see fastcopy-tune variants\n"
    "      --verbose       one line on standard error: what was chosen and why (FASTCOPY_VERBOSE)\n"
    "  -h, --help          this text\n"
    "  -V, --version       the version\n"
    "\n"
    "A program that is set-user-ID or otherwise privileged ignores all this.\n"
    "Exit codes: that of PROGRAM; 1 the library or the table is missing, 2 wrong usage,\n"
    "126 PROGRAM cannot be executed, 127 PROGRAM was not found.\n";

enum { VERBOSE = 256 };
static const struct option options[] = {
    {"table", required_argument, NULL, 't'}, {"variant", required_argument, NULL, 'v'},
    {"verbose", no_argument, NULL, VERBOSE}, {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},     {NULL, 0, NULL, 0}};

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fastcopy-run: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

static int usage(void) {
  fputs("Try 'fastcopy-run --help'.\n", stderr);
  return USAGE;
}

static int print(const char *text) {
  if (fputs(text, stdout) == EOF || fflush(stdout) != 0) {
    complain("cannot write to standard output: %s", strerror(errno));
    return FAILED;
  }
  return 0;
}

static bool set_table(const char *table) {
  char *path = realpath(table, NULL);
  int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
  struct stat status;
  bool good = false;
  if (fd < 0)
    complain("cannot read the tuning table %s: %s", table, strerror(errno));
  else if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    complain("the tuning table %s is no regular file", table);
  else if (setenv("FASTCOPY_TABLE", path, 1) != 0)
    complain("cannot set FASTCOPY_TABLE: %s", strerror(errno));
  else
    good = true;
  if (fd >= 0)
    close(fd);
  free(path);
  return good;
}

static bool set_variant(const char *name) {
  const unsigned variant = fc_variant_find(name);
  if (variant == FC_VARIANT_COUNT) {
    complain("there is no variant '%s'; fastcopy-tune variants lists them", name);
    return false;
  }
  struct fc_startup startup;
  struct fc_env env;
  struct fc_cpu cpu;
  fc_startup_read(&startup);
  fc_env_read(&env, &startup);
  fc_cpu_detect(&cpu, &startup);
  cpu.features &= ~(uint64_t)fc_env_disabled(env.disable);
  if (!fc_variant_usable(variant, &cpu))
    complain("warning: this CPU cannot run the variant %s, which needs %s; another will be used", name,
             fc_variants[variant].needs);
  return setenv("FASTCOPY_VARIANT", name, 1) == 0;
}

int main(int argc, char **argv) {
  const char *table = NULL, *variant = NULL;
  bool verbose = false;
  /* +: what stands after PROGRAM belongs to it */
  for (int option; (option = getopt_long(argc, argv, "+t:v:hV", options, NULL)) != -1;) {
    switch (option) {
    case 't':
      table = optarg;
      break;
    case 'v':
      variant = optarg;
      break;
    case VERBOSE:
      verbose = true;
      break;
    case 'h':
      return print(help);
    case 'V':
      return print("fastcopy-run " FASTCOPY_VERSION_STRING "\n");
    default:
      return usage();
    }
  }
  if (optind >= argc) {
    complain("no program given");
    return usage();
  }
  if (variant != NULL && !set_variant(variant))
    return usage();
  char library[PATH_MAX];
  /* last in LD_PRELOAD, since a sanitizer's run-time insists on being first */
  if ((table != NULL && !set_table(table)) || !preload_find(library, RUN_SONAME, "", complain) ||
      !preload_add(library, false, complain))
    return FAILED;
  if (verbose)
    setenv("FASTCOPY_VERBOSE", "1", 1);
  execvp(argv[optind], argv + optind);
  int reason = errno;
  complain("cannot run %s: %s", argv[optind], strerror(reason));
  return reason == ENOENT ? PRELOAD_NOT_FOUND : PRELOAD_NOT_EXECUTABLE;
}
