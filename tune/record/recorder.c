/* SPDX-License-Identifier: MIT */
/*
 * The library that fastcopy-tune record preloads: memcpy and its family, which count each call and then copy by the
 * baseline variant.
 *
 * Counters lie in a file that every process maps, so that what was counted stays counted however the process ends.
 * Each thread claims a block of its own and adds without atomic instructions; where blocks have run out all
 * share one, by atomic additions. Calls that come before the constructor, from the resolvers of other libraries, find a
 * library that is not relocated: they touch no thread-local variable and no pointer, and count in a block in here.
 *
 * The program must not notice: nothing is printed, no errno is changed, and without a file it is copying alone.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/variant.h"
#include "layout.h"

#ifndef RECORD_COPY
#error "RECORD_COPY: the function of the baseline variant, set by the build"
#endif

#define EXPORTED __attribute__((visibility("default")))
#define UNLIKELY(condition) __builtin_expect(condition, 0)

#pragma GCC visibility push(hidden)
fc_copy RECORD_COPY;
#pragma GCC visibility pop

/* What the variants read: the values without a plan. */
#define FC_PARAM(name, initial, ...) initial,
struct fc_live fc_live = {.params = {
#include "params.def"
                          }};
#undef FC_PARAM

static struct record_block early;
static bool any_early;
static struct record_file *file;
static bool off; /* there is no file */
/* NULL until there is a file, then a word that is 0 in a process that was forked and has not counted yet. */
static volatile unsigned *alive;

static __thread __attribute__((tls_model("initial-exec"))) struct {
  struct record_block *block;
  size_t n; /* of the call before */
  uintptr_t dst, src, end;
} thread;

static __attribute__((noinline)) struct record_block *claim(void) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  /* first: a signal handler that copies now claims one, too, and both will be counted */
  *alive = 1;
  uint64_t at = __atomic_fetch_add(&file->claimed, 1, __ATOMIC_RELAXED);
  thread.n = SIZE_MAX;
  thread.dst = thread.src = thread.end = 0;
  thread.block = at < RECORD_BLOCKS ? &file->blocks[at] : &file->shared;
  return thread.block;
}

static void add_shared(uint64_t *to, uint64_t value) {
  if (value != 0)
    __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

/* Before the constructor there is no call before. */
static __attribute__((noinline)) void count_early(enum record_function function, uintptr_t dst, uintptr_t src,
                                                  size_t n) {
  if (off)
    return;
  uint64_t *counts = early.counts[function][record_class(n)];
  any_early = true;
  add_shared(&counts[RECORD_CALLS], 1);
  add_shared(&counts[RECORD_BYTES], n);
  add_shared(&counts[RECORD_OVERLAP], dst - src < n || src - dst < n);
  add_shared(&counts[RECORD_ALIGNED], ((dst | src) & 15) == 0);
}

static inline __attribute__((always_inline)) void count(enum record_function function, const void *to, const void *from,
                                                        size_t n) {
  uintptr_t dst = (uintptr_t)to, src = (uintptr_t)from;
  volatile unsigned *living = __atomic_load_n(&alive, __ATOMIC_RELAXED);
  if (UNLIKELY(living == NULL)) {
    count_early(function, dst, src, n);
    return;
  }
  struct record_block *block = thread.block;
  if (UNLIKELY(block == NULL || *living == 0))
    block = claim();
  uint64_t *counts = block->counts[function][record_class(n)];
  uint64_t place = (uintptr_t)__builtin_return_address(0) * 0x9e3779b97f4a7c15u, now = place + n;
  uint64_t *site = &block->sites[place / (UINT64_MAX / RECORD_SITES + 1)];
  uint64_t steady = __atomic_load_n(site, __ATOMIC_RELAXED) == now;
  __atomic_store_n(site, now, __ATOMIC_RELAXED);
  uint64_t same = n == thread.n, again = dst == thread.dst && src == thread.src;
  uint64_t used = !again && (dst == thread.dst || (src < thread.end && thread.dst < src + n));
  uint64_t overlap = dst - src < n || src - dst < n;
  uint64_t aligned = ((dst | src) & 15) == 0;
  thread.n = n;
  thread.dst = dst;
  thread.src = src;
  thread.end = dst + n;
  if (UNLIKELY(block == &file->shared)) {
    add_shared(&counts[RECORD_CALLS], 1);
    add_shared(&counts[RECORD_BYTES], n);
    add_shared(&counts[RECORD_SAME], same);
    add_shared(&counts[RECORD_STEADY], steady);
    add_shared(&counts[RECORD_AGAIN], again);
    add_shared(&counts[RECORD_USED], used);
    add_shared(&counts[RECORD_OVERLAP], overlap);
    add_shared(&counts[RECORD_ALIGNED], aligned);
    return;
  }
  counts[RECORD_CALLS]++;
  counts[RECORD_BYTES] += n;
  counts[RECORD_SAME] += same;
  counts[RECORD_STEADY] += steady;
  counts[RECORD_AGAIN] += again;
  counts[RECORD_USED] += used;
  counts[RECORD_OVERLAP] += overlap;
  counts[RECORD_ALIGNED] += aligned;
}

static const char *file_name(char *const *environment) {
  for (; *environment != NULL; environment++) {
    const char *at = *environment, *name = RECORD_VARIABLE "=";
    while (*name != '\0' && *at == *name) {
      at++;
      name++;
    }
    if (*name == '\0')
      return at;
  }
  return NULL;
}

/* By syscall(): other preloaded libraries have an open() of their own, and are not constructed yet. */
static void *map_pages(int fd, size_t size, int flags) {
  long at = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, (long)fd, 0L);
  return at == -1 ? NULL : (void *)at;
}

static struct record_file *map(const char *name) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  struct record_file *mapped = NULL;
  struct stat status;
  /* the calls of the loader itself, as far as they go: a sandbox lets those through */
  if (syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) == 0 && status.st_size == (off_t)sizeof *mapped)
    mapped = map_pages(fd, sizeof *mapped, MAP_SHARED);
  syscall(SYS_close, fd);
  if (mapped == NULL || (mapped->magic == RECORD_MAGIC && mapped->size == sizeof *mapped))
    return mapped;
  syscall(SYS_munmap, mapped, sizeof *mapped);
  return NULL;
}

/* The library is linked so that this comes before the constructors of all others. */
static __attribute__((constructor)) void start(int argc, char **argv, char **environment) {
  (void)argc;
  (void)argv;
  int before = errno;
  const char *name = file_name(environment);
  struct record_file *mapped = name != NULL ? map(name) : NULL;
  volatile unsigned *page = mapped != NULL ? map_pages(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS) : NULL;
  if (page == NULL) {
    off = true;
    errno = before;
    return;
  }
  file = mapped;
  __atomic_fetch_add(&file->processes, 1, __ATOMIC_RELAXED);
  *page = 1;
  /* where a forked child would not learn of it, no thread may have a block of its own */
  if (syscall(SYS_madvise, page, 1L, MADV_WIPEONFORK) != 0)
    __atomic_fetch_add(&file->claimed, RECORD_BLOCKS, __ATOMIC_RELAXED);
  __atomic_store_n(&alive, page, __ATOMIC_RELEASE);
  uint64_t *from = &early.counts[0][0][0], *to = &file->shared.counts[0][0][0];
  for (size_t i = 0; any_early && i < sizeof early.counts / sizeof *from; i++)
    add_shared(&to[i], from[i]);
  errno = before;
}

/* The family. All names are plain functions: of an IFUNC the loader would print a Relink line. */

extern void __chk_fail(void) __attribute__((noreturn));

static inline __attribute__((always_inline)) void *copy(enum record_function function, void *dst, const void *src,
                                                        size_t n) {
  count(function, dst, src, n);
  return RECORD_COPY(dst, src, n);
}

static inline __attribute__((always_inline)) void *copy_to_end(void *dst, const void *src, size_t n) {
  count(RECORD_MEMCPY, dst, src, n);
  return (char *)RECORD_COPY(dst, src, n) + n;
}

/* Of the fortified names: the room at the destination, in the unit of n. */
static inline __attribute__((always_inline)) void check(size_t n, size_t room) {
  if (UNLIKELY(room < n))
    __chk_fail();
}

/* Of the wide names: bytes. */
static inline size_t wide(size_t n) { return n * sizeof(wchar_t); }

EXPORTED void *memcpy(void *dst, const void *src, size_t n) { return copy(RECORD_MEMCPY, dst, src, n); }

EXPORTED void *memmove(void *dst, const void *src, size_t n) { return copy(RECORD_MEMMOVE, dst, src, n); }

EXPORTED void *mempcpy(void *dst, const void *src, size_t n) { return copy_to_end(dst, src, n); }

EXPORTED void *__mempcpy(void *dst, const void *src, size_t n) { return copy_to_end(dst, src, n); }

EXPORTED void bcopy(const void *src, void *dst, size_t n) { copy(RECORD_MEMMOVE, dst, src, n); }

EXPORTED void *wmemcpy(void *dst, const void *src, size_t n) { return copy(RECORD_MEMCPY, dst, src, wide(n)); }

EXPORTED void *wmemmove(void *dst, const void *src, size_t n) { return copy(RECORD_MEMMOVE, dst, src, wide(n)); }

EXPORTED void *wmempcpy(void *dst, const void *src, size_t n) { return copy_to_end(dst, src, wide(n)); }

EXPORTED void *__memcpy_chk(void *dst, const void *src, size_t n, size_t room) {
  check(n, room);
  return copy(RECORD_MEMCPY, dst, src, n);
}

EXPORTED void *__memmove_chk(void *dst, const void *src, size_t n, size_t room) {
  check(n, room);
  return copy(RECORD_MEMMOVE, dst, src, n);
}

EXPORTED void *__mempcpy_chk(void *dst, const void *src, size_t n, size_t room) {
  check(n, room);
  return copy_to_end(dst, src, n);
}

EXPORTED void *__wmemcpy_chk(void *dst, const void *src, size_t n, size_t room) {
  check(n, room);
  return copy(RECORD_MEMCPY, dst, src, wide(n));
}

EXPORTED void *__wmemmove_chk(void *dst, const void *src, size_t n, size_t room) {
  check(n, room);
  return copy(RECORD_MEMMOVE, dst, src, wide(n));
}

EXPORTED void *__wmempcpy_chk(void *dst, const void *src, size_t n, size_t room) {
  check(n, room);
  return copy_to_end(dst, src, wide(n));
}
