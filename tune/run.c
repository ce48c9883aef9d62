/* SPDX-License-Identifier: MIT */
/* fastcopy-run: one program under libfastcopy, without touching the system. */
#define _GNU_SOURCE /* asprintf */
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

#if !defined RUN_SONAME || !defined RUN_LIBDIR || !defined RUN_RELATIVE_LIBDIR
#error "RUN_SONAME, RUN_LIBDIR, RUN_RELATIVE_LIBDIR: where the library lies, set by the build"
#endif

/* As env(1) and the shells have them, but for the first two. */
enum { FAILED = 1, USAGE = 2, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

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

/* The library beside this program (a build tree), below its prefix (wherever it was moved), or where it was installed. */
static bool find_library(char library[PATH_MAX]) {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length < 0 ? 0 : length] = '\0';
  char *slash = strrchr(self, '/');
  if (slash != NULL)
    *slash = '\0';
  const char *const places[] = {"/..", "/" RUN_RELATIVE_LIBDIR, NULL};
  char tried[3 * PATH_MAX] = "";
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char folder[2 * PATH_MAX], real[PATH_MAX];
    if (places[i] != NULL && slash == NULL)
      continue;
    snprintf(folder, sizeof folder, "%s%s", places[i] != NULL ? self : RUN_LIBDIR, places[i] != NULL ? places[i] : "");
    if (realpath(folder, real) != NULL && snprintf(library, PATH_MAX, "%s/" RUN_SONAME, real) < PATH_MAX &&
        access(library, R_OK) == 0)
      return true;
    size_t told = strlen(tried);
    snprintf(tried + told, sizeof tried - told, "%s%s", told == 0 ? "" : ", ", folder);
  }
  complain("no " RUN_SONAME " in %s; install libfastcopy, or run this from where it was installed", tried);
  return false;
}

/* Does LD_PRELOAD name this very file? */
static bool is_preloaded(const char *before, const char *library) {
  struct stat wanted, found;
  bool is = false;
  char *names = strdup(before), *rest = names;
  if (stat(library, &wanted) != 0)
    rest = NULL;
  while (rest != NULL && !is) {
    const char *name = strsep(&rest, " :");
    is = strchr(name, '/') != NULL && stat(name, &found) == 0 && found.st_dev == wanted.st_dev &&
         found.st_ino == wanted.st_ino;
  }
  free(names);
  return is;
}

/* ld.so separates the names in LD_PRELOAD by blanks and colons, replaces $LIB and its like, and knows no way to escape. */
static bool add_preload(const char *library) {
  if (strpbrk(library, " :$") != NULL) {
    complain("the library %s cannot be preloaded: LD_PRELOAD knows no blank, no colon and no $ in a path; install it "
             "elsewhere",
             library);
    return false;
  }
  const char *before = getenv("LD_PRELOAD");
  if (before != NULL && is_preloaded(before, library))
    return true;
  char *value = NULL;
  /* last, since a sanitizer's run-time insists on being first */
  bool good = asprintf(&value, "%s%s%s", before != NULL ? before : "", before != NULL && *before != '\0' ? ":" : "",
                       library) >= 0 &&
              setenv("LD_PRELOAD", value, 1) == 0;
  free(value);
  if (!good)
    complain("cannot set LD_PRELOAD: %s", strerror(ENOMEM));
  return good;
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
  if ((table != NULL && !set_table(table)) || !find_library(library) || !add_preload(library))
    return FAILED;
  if (verbose)
    setenv("FASTCOPY_VERBOSE", "1", 1);
  execvp(argv[optind], argv + optind);
  int reason = errno;
  complain("cannot run %s: %s", argv[optind], strerror(reason));
  return reason == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}
