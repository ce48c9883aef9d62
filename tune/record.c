/* SPDX-License-Identifier: MIT */
/* fastcopy-tune record: runs a program with the recording library, and writes what it counted. */
#define _GNU_SOURCE 1 /* mkostemp, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload.h"
#include "tune.h"
#include "workload_file.h"

#ifndef RECORD_LIBRARY
#error "RECORD_LIBRARY: the name of the recording library, set by the build"
#endif

static const char help[] =
    "Usage: fastcopy-tune record [-o FILE] [--] PROGRAM [ARGUMENT]...\n"
    "Run PROGRAM and count the sizes, alignment, overlap and repetition of what it and the processes that it starts\n"
    "copy. The result is for fastcopy-tune calibrate --workload, which tunes for such a program.\n"
    "\n"
    "  -o, --output FILE  the workload to write. Default: PROGRAM.workload in the current folder\n"
    "  -h, --help         this text\n"
    "\n"
    "PROGRAM reads and prints what it always does, only slower. Statically linked and privileged programs cannot be\n"
    "recorded. Processes that PROGRAM leaves behind are counted until it ends.\n"
    "\n"
    "Exit codes: that of PROGRAM, 128 and the number of the signal that ended it; 1 nothing was written, 2 wrong\n"
    "usage, 126 PROGRAM cannot be executed, 127 PROGRAM was not found.\n";

struct recording {
  char counters[PATH_MAX]; /* the file that all processes map; "" when there is none */
  struct record_file *file;
  const char *output;
};

/* In memory, where there is room: a disk would write the counters again and again. */
static int open_counters(struct recording *recording) {
  const char *const folders[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
  int fd = -1, reason = ENOENT;
  for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++) {
    if (folders[i] == NULL || *folders[i] == '\0' ||
        snprintf(recording->counters, PATH_MAX, "%s/fastcopy-record.XXXXXX", folders[i]) >= PATH_MAX)
      continue;
    fd = mkostemp(recording->counters, O_CLOEXEC);
    /* all of it now: a process that finds the disk full in the middle of a copy would be killed */
    if (fd >= 0 && (reason = posix_fallocate(fd, 0, sizeof(struct record_file))) != 0) {
      close(fd);
      unlink(recording->counters);
      fd = -1;
    } else if (fd < 0) {
      reason = errno;
    }
  }
  if (fd < 0) {
    recording->counters[0] = '\0';
    tune_error("cannot make a file of %zu MB for the counters: %s; TMPDIR names another folder",
               sizeof(struct record_file) >> 20, strerror(reason));
    return -1;
  }
  recording->file = mmap(NULL, sizeof *recording->file, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  reason = errno;
  close(fd);
  char path[PATH_MAX];
  errno = recording->file == MAP_FAILED ? reason : 0;
  if (recording->file == MAP_FAILED || realpath(recording->counters, path) == NULL ||
      setenv(RECORD_VARIABLE, path, 1) != 0) {
    tune_error("cannot map the counters: %s", strerror(errno));
    return -1;
  }
  recording->file->size = sizeof *recording->file;
  recording->file->magic = RECORD_MAGIC;
  return 0;
}

static int cannot_write(const struct recording *recording) {
  tune_error("cannot write the workload %s: %s", recording->output, strerror(errno != 0 ? errno : EIO));
  return -1;
}

/* The file that a name leads to, through symbolic links, and a name beside it for its successor. */
struct place {
  char path[PATH_MAX], fresh[PATH_MAX + 8];
  mode_t mode;
};

/* What is there already is kept until all of its successor is written. */
static int find_place(struct place *place, const struct recording *recording) {
  struct stat status;
  mode_t mask = umask(0);
  umask(mask);
  place->mode = 0666 & ~mask;
  if (stat(recording->output, &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      tune_error("%s is no regular file, so the workload is not written there; name another with --output",
                 recording->output);
      return -1;
    }
    if (access(recording->output, W_OK) != 0 || realpath(recording->output, place->path) == NULL)
      return cannot_write(recording);
    place->mode = status.st_mode & 0777;
  } else if (errno != ENOENT) {
    return cannot_write(recording);
  } else if (snprintf(place->path, sizeof place->path, "%s", recording->output) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return cannot_write(recording);
  }
  snprintf(place->fresh, sizeof place->fresh, "%s.XXXXXX", place->path);
  return 0;
}

/*
 * Before the program runs: it may take long, and the result is to have a place. Nothing is left there that the program
 * could find.
 */
static int try_output(const struct recording *recording) {
  struct place place;
  if (find_place(&place, recording) != 0)
    return -1;
  int fd = mkostemp(place.fresh, O_CLOEXEC);
  if (fd < 0)
    return cannot_write(recording);
  close(fd);
  unlink(place.fresh);
  return 0;
}

static int put(const struct recording *recording, const struct workload_file *workload) {
  struct place place;
  if (find_place(&place, recording) != 0)
    return -1;
  errno = 0;
  int fd = mkostemp(place.fresh, O_CLOEXEC);
  FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (stream == NULL)
    return cannot_write(recording);
  workload_file_write(workload, stream);
  int failed = fchmod(fd, place.mode) != 0 || fflush(stream) != 0 || tune_sync(fd) != 0 || ferror(stream);
  failed |= fclose(stream) != 0;
  if (failed || rename(place.fresh, place.path) != 0) {
    int reason = errno;
    unlink(place.fresh);
    errno = reason;
    return cannot_write(recording);
  }
  return 0;
}

static volatile sig_atomic_t child;
static struct sigaction old_limit; /* what the program is to do at a limit of file sizes */

static void pass_on(int number) {
  int before = errno;
  if (child > 0)
    kill(child, number);
  errno = before;
}

/* Runs the program to its end. Returns its exit code, or says why there is none and returns one of ours. */
static int run(char **program, bool *ran) {
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) {
    tune_error("cannot run %s: %s", *program, strerror(errno));
    return TUNE_FAILED;
  }
  /* a key at the terminal reaches both; the recorder waits for what the program makes of it, and hands on the others */
  enum { KEYS = 2, SIGNALS = 7 };
  static const int numbers[SIGNALS] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM};
  struct sigaction ignore = {.sa_handler = SIG_IGN}, hand = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  struct sigaction old[SIGNALS];
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  for (unsigned i = 0; i < SIGNALS; i++) {
    sigaction(numbers[i], NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN)
      sigaction(numbers[i], i < KEYS ? &ignore : &hand, NULL);
  }
  pid_t pid = fork();
  if (pid == 0) {
    for (unsigned i = 0; i < SIGNALS; i++)
      sigaction(numbers[i], &old[i], NULL);
    sigaction(SIGXFSZ, &old_limit, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(*program, program);
    int reason = errno;
    ssize_t written = write(error_pipe[1], &reason, sizeof reason);
    _exit(written == sizeof reason ? PRELOAD_NOT_FOUND : TUNE_FAILED);
  }
  int reason = pid < 0 ? errno : 0, status = 0;
  child = pid;
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(error_pipe[1]);
  if (pid > 0) {
    while (read(error_pipe[0], &reason, sizeof reason) < 0 && errno == EINTR)
      ;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
  }
  child = 0;
  close(error_pipe[0]);
  if (reason != 0) {
    tune_error("cannot run %s: %s", *program, strerror(reason));
    return pid < 0 ? TUNE_FAILED : reason == ENOENT ? PRELOAD_NOT_FOUND : PRELOAD_NOT_EXECUTABLE;
  }
  *ran = true;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int collect(struct workload_file *workload, const struct record_file *file, uint64_t *calls) {
  uint64_t claimed = __atomic_load_n(&file->claimed, __ATOMIC_ACQUIRE);
  size_t blocks = claimed < RECORD_BLOCKS ? (size_t)claimed : RECORD_BLOCKS;
  for (unsigned function = 0; function < RECORD_FUNCTIONS; function++) {
    for (unsigned class = 0; class < RECORD_CLASSES; class ++) {
      struct workload_line line = {.function = (enum record_function)function, .low = record_class_low(class)};
      line.high = class + 1 == RECORD_CLASSES ? WORKLOAD_SIZE_MOST : record_class_low(class + 1) - 1;
      for (unsigned counter = 0; counter < RECORD_COUNTERS; counter++) {
        line.counts[counter] = file->shared.counts[function][class][counter];
        for (size_t i = 0; i < blocks; i++)
          line.counts[counter] += file->blocks[i].counts[function][class][counter];
      }
      *calls += line.counts[RECORD_CALLS];
      if (line.counts[RECORD_CALLS] != 0 && workload_file_add(workload, &line) != 0)
        return -1;
    }
  }
  return 0;
}

/* The words of the command, for people. */
static char *join(char **program) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL)
    return NULL;
  for (char **word = program; *word != NULL; word++)
    fprintf(stream, "%s%s", word == program ? "" : " ", *word);
  return fclose(stream) == 0 ? text : NULL;
}

static int write_workload(const struct recording *recording, char **program, int code) {
  struct workload_file workload = {.command = join(program)};
  uint64_t calls = 0;
  int result = -1;
  if (workload.command == NULL || collect(&workload, recording->file, &calls) != 0) {
    tune_error("not enough memory for the workload");
  } else if (recording->file->processes == 0) {
    tune_error("%s was not recorded, so there is no workload: it is statically linked, privileged, or for another "
               "architecture",
               *program);
  } else if (calls == 0) {
    tune_error("%s copied nothing that could be counted, and ended with exit code %d, so there is no workload",
               *program, code);
  } else {
    result = put(recording, &workload);
  }
  workload_file_free(&workload);
  return result;
}

static int record(struct recording *recording, char **program) {
  char library[PATH_MAX];
  /* beyond a limit, writing is to fail with EFBIG */
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGXFSZ, &ignore, &old_limit);
  /* first in LD_PRELOAD: of several libraries that have memcpy the first is called */
  if (!preload_find(library, RECORD_LIBRARY, "/fastcopy", tune_error) || try_output(recording) != 0 ||
      open_counters(recording) != 0 || !preload_add(library, true, tune_error))
    return TUNE_FAILED;
  bool ran = false;
  int code = run(program, &ran);
  if (!ran)
    return code;
  return write_workload(recording, program, code) == 0 ? code : TUNE_FAILED;
}

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

int tune_record(int argc, char **argv) {
  struct recording recording = {.output = NULL};
  /* +: what stands after PROGRAM belongs to it */
  for (int option; (option = getopt_long(argc, argv, "+o:h", options, NULL)) != -1;) {
    switch (option) {
    case 'o':
      recording.output = optarg;
      break;
    case 'h':
      fputs(help, stdout);
      return TUNE_DONE;
    default:
      return tune_usage(NULL);
    }
  }
  if (optind >= argc)
    return tune_usage("record: no program given");
  char *default_output = NULL;
  if (recording.output == NULL) {
    const char *slash = strrchr(argv[optind], '/');
    if (asprintf(&default_output, "%s.workload", slash != NULL ? slash + 1 : argv[optind]) < 0) {
      tune_error("%s", strerror(ENOMEM));
      return TUNE_FAILED;
    }
    recording.output = default_output;
  }
  int code = record(&recording, argv + optind);
  if (recording.counters[0] != '\0')
    unlink(recording.counters);
  free(default_output);
  return code;
}
