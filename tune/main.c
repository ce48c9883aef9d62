/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/fastcopy.h"
#include "tune.h"

static const struct command {
  const char *name;
  const char *full; /* what the messages of getopt begin with */
  int (*run)(int argc, char **argv);
} commands[] = {
    {"calibrate", "fastcopy-tune calibrate", tune_calibrate},
    {"record", "fastcopy-tune record", tune_record},
    {"workload", "fastcopy-tune workload", tune_workload},
    {"show", "fastcopy-tune show", tune_show},
    {"explain", "fastcopy-tune explain", tune_explain},
    {"variants", "fastcopy-tune variants", tune_variants},
    {"bench", "fastcopy-tune bench", tune_bench},
};

static const char help[] = "Usage: fastcopy-tune COMMAND [OPTION]...\n"
                           "Measure how this machine copies memory, and show what libfastcopy makes of it.\n"
                           "\n"
                           "Commands:\n"
                           "  calibrate   measure the variants and write the tuning table\n"
                           "  record      run a program and count how it copies\n"
                           "  workload    what recorded workloads hold, and how calibrate weighs them\n"
                           "  show        the plan in force, the tuning table and the caches\n"
                           "  explain     what a memcpy and a memmove of some size do here, and why\n"
                           "  variants    the copy variants, and which of them this CPU can run\n"
                           "  bench       compare the speed of variants and of the C library\n"
                           "\n"
                           "Options:\n"
                           "  -h, --help     this text; after a command, the options of that command\n"
                           "  -V, --version  the version\n"
                           "\n"
                           "Files:\n"
                           "  " TUNE_TABLE_PATH "  the tuning table; FASTCOPY_TABLE names another\n"
                           "\n"
                           "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";

/* A closed descriptor would be reused by the next file opened, which would then receive what is printed. */
static void occupy_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++) {
    /* open() gives the lowest free one, `fd`; a write to this one fails, and that is reported */
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
      _exit(TUNE_FAILED);
  }
}

static int run(int argc, char **argv) {
  if (argc < 2)
    return tune_usage("no command given");
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    fputs(help, stdout);
    return TUNE_DONE;
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    puts("fastcopy-tune " FASTCOPY_VERSION_STRING);
    return TUNE_DONE;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(word, commands[i].name) == 0) {
      argv[1] = (char *)commands[i].full;
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  return tune_usage(word[0] == '-' ? "unknown option '%s'" : "unknown command '%s'", word);
}

int main(int argc, char **argv) {
  occupy_standard_descriptors();
  /* characters only: numbers stay as JSON and scripts read them */
  setlocale(LC_CTYPE, "");
  int code = run(argc, argv);
  errno = 0;
  if (ferror(stdout) | (fclose(stdout) != 0)) {
    tune_error("cannot write to standard output: %s", errno != 0 ? strerror(errno) : "an earlier write failed");
    return code == TUNE_DONE ? TUNE_FAILED : code;
  }
  return code;
}
