/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FAILURES_SHOWN = 20 };

struct fc_cpu check_cpu;

static const char *program;
static uint64_t seed, random_state;
static unsigned failures, skips;

static sigjmp_buf fault_jump;
static volatile sig_atomic_t fault_expected;
static void *volatile fault_address;
static sigset_t mask;

static void on_fault(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  if (!fault_expected) {
    signal(signal_number, SIG_DFL);
    return;
  }
  fault_expected = 0;
  fault_address = info->si_addr;
  siglongjmp(fault_jump, signal_number);
}

static void catch_faults(void) {
  static unsigned char stack[256 * 1024];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigaltstack(&alternate, NULL);
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  sigaction(SIGILL, &action, NULL);
  sigprocmask(SIG_SETMASK, NULL, &mask);
}

static void print_cpu(void) {
  char name[64];
  struct fc_startup startup;
  fc_startup_read(&startup);
  fc_cpu_detect(&check_cpu, &startup);
  arch_cpu_name(name);
  printf("cpu: %s, id %#x, features", name, check_cpu.id);
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    if (check_cpu.features >> i & 1)
      printf(" %s", fc_feature_names[i].name);
  }
  printf("\n");
}

int check_begin(int argc, char **argv) {
  int first = 1;
  program = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
  seed = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
  if (argc > 2 && strcmp(argv[1], "--seed") == 0) {
    seed = strtoull(argv[2], NULL, 0);
    first = 3;
  }
  random_state = seed;
  /* a test that dies must leave its last words */
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("%s: seed %llu\n", program, (unsigned long long)seed);
  print_cpu();
  catch_faults();
  return first;
}

static void summary(void) {
  if (failures != 0)
    printf("%s: FAILED, %u failures; again with --seed %llu\n", program, failures, (unsigned long long)seed);
  else
    printf("%s: passed%s\n", program, skips != 0 ? ", less what was skipped" : "");
  fflush(stdout);
}

int check_end(void) {
  summary();
  return failures != 0;
}

void check_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("FAIL ");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  if (++failures < FAILURES_SHOWN)
    return;
  printf("the rest is not run\n");
  summary();
  _exit(1);
}

void check_skip(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("SKIPPED ");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  skips++;
}

/* splitmix64 */
uint64_t check_random(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

size_t check_below(size_t bound) { return (size_t)((check_random() >> 32) * bound >> 32); }

void check_fill(unsigned char *a, unsigned char *b, size_t size) {
  typedef uint64_t __attribute__((may_alias, aligned(1))) word;
  size_t at = 0;
  /* no need of the best: only that no two places look alike */
  uint64_t z = check_random();
  for (; at + 8 <= size; at += 8) {
    z = z * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    *(word *)(a + at) = *(word *)(b + at) = z ^ z >> 29;
  }
  for (uint64_t rest = check_random(); at < size; at++, rest >>= 8)
    a[at] = b[at] = (unsigned char)rest;
}

/* The empty statement makes each byte a step of its own. */
#define ONE_BYTE(dst, src)             \
  do {                                 \
    *(dst) = *(src);                   \
    __asm__ volatile("" ::: "memory"); \
  } while (0)

void check_copy_bytes(unsigned char *dst, const unsigned char *src, size_t n) {
  for (size_t i = 0; i < n; i++)
    ONE_BYTE(dst + i, src + i);
}

void check_move_bytes(unsigned char *dst, const unsigned char *src, size_t n) {
  if ((uintptr_t)dst <= (uintptr_t)src) {
    check_copy_bytes(dst, src, n);
    return;
  }
  while (n-- > 0)
    ONE_BYTE(dst + n, src + n);
}

void check_set_text(char *field, size_t size, const char *text) {
  size_t length = strnlen(text, size - 1);
  for (size_t i = 0; i < size; i++)
    field[i] = '\0';
  for (size_t i = 0; i < length; i++)
    field[i] = text[i];
}

unsigned char *check_guarded(size_t size) {
  size = (size + CHECK_PAGE - 1) / CHECK_PAGE * CHECK_PAGE;
  unsigned char *memory =
      mmap(NULL, size + 2 * CHECK_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + CHECK_PAGE, size, PROT_READ | PROT_WRITE) != 0) {
    perror("mmap");
    exit(1);
  }
  return memory + CHECK_PAGE;
}

const char *check_call(struct check_call *call) {
  static char text[96];
  int signal_number = sigsetjmp(fault_jump, 0);
  if (signal_number != 0) {
    /* left from within a handler, perhaps two of them */
    sigprocmask(SIG_SETMASK, &mask, NULL);
    snprintf(text, sizeof text, "ends with %s at address %p", strsignal(signal_number), fault_address);
    return text;
  }
  fault_expected = 1;
  const char *broken = arch_call(call);
  fault_expected = 0;
  return broken;
}

void check_live_writable(void) {
  uintptr_t start = (uintptr_t)&fc_live / CHECK_PAGE * CHECK_PAGE;
  uintptr_t end = (uintptr_t)(&fc_live + 1);
  if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) != 0) {
    perror("mprotect");
    exit(1);
  }
}

bool check_emulated(void) { return getenv("CHECK_EMULATOR") != NULL; }

const char *check_self(void) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) {
    perror("/proc/self/exe");
    exit(1);
  }
  return path;
}

static void read_back(char *text, size_t size, int fd) {
  ssize_t length = pread(fd, text, size - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  close(fd);
}

void check_run(struct check_child *child, const char *const arguments[], const char *const variables[]) {
  static const char *environment[1024];
  size_t count = 0;
  for (char **variable = environ; *variable != NULL && count < 1000; variable++) {
    if (strncmp(*variable, "FASTCOPY_", 9) != 0)
      environment[count++] = *variable;
  }
  for (; variables != NULL && *variables != NULL && count < 1023; variables++)
    environment[count++] = *variables;
  environment[count] = NULL;

  /* where the test runs under an emulator, its children do too */
  static char words[4096];
  const char *command[64];
  size_t length = 0;
  check_set_text(words, sizeof words, check_emulated() ? getenv("CHECK_EMULATOR") : "");
  for (char *word = strtok(words, " "); word != NULL && length < 32; word = strtok(NULL, " "))
    command[length++] = word;
  while (*arguments != NULL && length < 63)
    command[length++] = *arguments++;
  command[length] = NULL;

  int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
  fflush(stdout);
  pid_t pid = fork();
  if (out < 0 || err < 0 || pid < 0) {
    perror("fork");
    exit(1);
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(20);
    dup2(out, 1);
    dup2(err, 2);
    execvpe(command[0], (char *const *)command, (char *const *)environment);
    _exit(126);
  }
  waitpid(pid, &child->status, 0);
  read_back(child->out, sizeof child->out, out);
  read_back(child->err, sizeof child->err, err);
}

size_t check_lines(const char *text) {
  size_t lines = 0;
  for (; *text != '\0'; text++)
    lines += *text == '\n' || text[1] == '\0';
  return lines;
}
