/* SPDX-License-Identifier: MIT */
/*
 * Makes known numbers of calls, of sizes that nothing else in the process copies, in every way that a process can
 * have threads and children and come to an end. tests/record.sh knows the numbers.
 *
 * usage: recorded MODE
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

void *__mempcpy(void *dst, const void *src, size_t n);
void *__memcpy_chk(void *dst, const void *src, size_t n, size_t room);
void *__memmove_chk(void *dst, const void *src, size_t n, size_t room);
void *__mempcpy_chk(void *dst, const void *src, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *dst, const wchar_t *src, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *dst, const wchar_t *src, size_t n, size_t room);
wchar_t *__wmempcpy_chk(wchar_t *dst, const wchar_t *src, size_t n, size_t room);

static const char *self;

static void copies(size_t n, unsigned count) {
  char from[256] = "text", to[256];
  for (unsigned i = 0; i < count; i++)
    memcpy(to, from, n);
}

static void moves(size_t n, unsigned count) {
  char from[256] = "text", to[256];
  for (unsigned i = 0; i < count; i++)
    memmove(to, from, n);
}

static void *thread(void *count) {
  copies(37, (unsigned)(uintptr_t)count);
  return NULL;
}

/* Of a child: must have ended by this signal, or with this exit code. */
static void wait_for(pid_t pid, int code, int number) {
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid ||
      (number != 0 ? !WIFSIGNALED(status) || WTERMSIG(status) != number : status != code << 8)) {
    fprintf(stderr, "recorded: a child ended with status %#x\n", (unsigned)status);
    exit(1);
  }
}

static void threads(void) {
  pthread_t ids[4];
  for (unsigned i = 0; i < 4; i++) {
    if (pthread_create(&ids[i], NULL, thread, (void *)(uintptr_t)100000) != 0)
      exit(1);
  }
  copies(37, 1000);
  for (unsigned i = 0; i < 4; i++)
    pthread_join(ids[i], NULL);
}

/* More of them than there are blocks of counters, some at once. */
static void many_threads(void) {
  for (unsigned i = 0; i < 600; i++) {
    pthread_t ids[2];
    for (unsigned j = 0; j < 2; j++) {
      if (pthread_create(&ids[j], NULL, thread, (void *)(uintptr_t)100) != 0)
        exit(1);
    }
    for (unsigned j = 0; j < 2; j++)
      pthread_join(ids[j], NULL);
  }
}

static void children(void) {
  copies(41, 500);
  for (unsigned i = 0; i < 3; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      copies(41, 1000);
      _exit(3);
    }
    copies(41, 100);
    wait_for(pid, 3, 0);
  }
  static const int signals[] = {SIGKILL, SIGABRT, SIGTERM};
  for (unsigned i = 0; i < 3; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      moves(43, 700);
      raise(signals[i]);
    }
    wait_for(pid, 0, signals[i]);
  }
  /* a child of a child, and both go on */
  pid_t pid = fork();
  if (pid == 0) {
    pid_t below = fork();
    moves(43, 50);
    if (below != 0)
      wait_for(below, 0, 0);
    _exit(0);
  }
  wait_for(pid, 0, 0);
  pid = fork();
  if (pid == 0) {
    copies(47, 300);
    execl(self, self, "leaf", (char *)NULL);
    _exit(1);
  }
  wait_for(pid, 5, 0);
  pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what is tested
  if (pid == 0) {
    execl(self, self, "leaf", (char *)NULL);
    _exit(1);
  }
  wait_for(pid, 5, 0);
}

/* Each name of the family once. */
static void family(void) {
  char from[64] = "text", to[64];
  wchar_t wide_from[16] = L"text", wide_to[16];
  memcpy(to, from, 29);
  mempcpy(to, from, 29);
  __mempcpy(to, from, 29);
  __memcpy_chk(to, from, 29, 64);
  if (__mempcpy_chk(to, from, 29, 64) != to + 29)
    exit(1);
  memmove(to, from, 29);
  bcopy(from, to, 29); // NOLINT(clang-analyzer-security.insecureAPI.bcopy)
  __memmove_chk(to, from, 29, 64);
  wmemcpy(wide_to, wide_from, 13);
  wmempcpy(wide_to, wide_from, 13);
  __wmemcpy_chk(wide_to, wide_from, 13, 16);
  if (__wmempcpy_chk(wide_to, wide_from, 13, 16) != wide_to + 13)
    exit(1);
  wmemmove(wide_to, wide_from, 13);
  __wmemmove_chk(wide_to, wide_from, 13, 16);
  if (memcmp(to, from, 29) != 0 || wmemcmp(wide_to, wide_from, 13) != 0)
    exit(1);
}

/* Who needs whose bytes. */
static void dependence(void) {
  static _Alignas(64) char a[256], b[256], c[256];
  for (unsigned i = 0; i < 1000; i++) {
    *(volatile uint64_t *)a = i;
    memcpy(b, a, 31);
    (void)*(volatile uint64_t *)b;
  }
  for (unsigned i = 0; i < 1000; i++) {
    memcpy(b, a, 51);
    memcpy(c, b, 51);
  }
  for (unsigned i = 0; i < 1000; i++)
    memcpy(b, i % 2 != 0 ? a : c, 55);
  for (unsigned i = 0; i < 1000; i++)
    memmove(a + 1, a, 57);
  for (unsigned i = 0; i < 1000; i++) {
    memcpy(a, b, 33);
    memcpy(c, c + 128, 35);
  }
}

/* Nothing but a store, a copy of one size and a load. */
static void loop(void) {
  static _Alignas(64) char a[64], b[64];
  for (unsigned i = 0; i < 100000; i++) {
    *(volatile uint64_t *)a = i;
    memcpy(b, a, 24);
    (void)*(volatile uint64_t *)b;
  }
}

/* A process that dies of what the fortified names find. */
static void overrun(void) {
  char from[64] = "text", to[32];
  copies(39, 10);
  __memcpy_chk(to, from, 40, 32);
}

static void quiet(void) {
  int start = errno;
  errno = 77;
  copies(61, 1);
  if (start != 0 || errno != 77)
    exit(1);
  puts("out");
  fputs("err\n", stderr);
  exit(9);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"threads", threads},       {"many", many_threads}, {"children", children}, {"family", family},
               {"dependence", dependence}, {"loop", loop},         {"overrun", overrun},   {"quiet", quiet}};
  self = argv[0];
  if (argc == 2 && strcmp(argv[1], "leaf") == 0) {
    copies(53, 200);
    return 5;
  }
  for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(argv[1], modes[i].name) == 0) {
      modes[i].run();
      return 0;
    }
  }
  return 2;
}
