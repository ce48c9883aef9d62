/* SPDX-License-Identifier: MIT */
/*
 * What the test programs share. A program starts with check_begin(), which prints the seed and the CPU, states
 * what it expects with CHECK(), and ends with `return check_end();`. Exit status: 0 passed, 1 failed, CHECK_SKIPPED
 * when nothing could be checked. The same seed (--seed) gives the same cases.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/variant.h"

enum { CHECK_SKIPPED = 77, CHECK_PAGE = 4096 };

/* Reads --seed NUMBER. Returns the index of the first argument that is not an option. */
int check_begin(int argc, char **argv);
int check_end(void);

/* Counts a failure and prints it as a line of its own; after 20 of them the program ends. */
void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define CHECK(condition, ...)  \
  do {                         \
    if (!(condition))          \
      check_fail(__VA_ARGS__); \
  } while (0)

/* Something that this machine cannot show: printed by name, and no failure. */
void check_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The CPU as the library sees it, without what the environment asks for. */
extern struct fc_cpu check_cpu;

uint64_t check_random(void);
/* 0 .. bound - 1; bound at most 2^32 */
size_t check_below(size_t bound);
/* Random bytes, the same into `a` and `b`. */
void check_fill(unsigned char *a, unsigned char *b, size_t size);

/* The references: loops over bytes that no compiler turns into a call of what is being tested. */
void check_copy_bytes(unsigned char *dst, const unsigned char *src, size_t n);
void check_move_bytes(unsigned char *dst, const unsigned char *src, size_t n);

/* A text field of fixed size: the text, cut to fit, and NULs. */
void check_set_text(char *field, size_t size, const char *text);

/* `size` bytes, rounded up to pages, between pages that may not be touched. Ends the program when memory is short. */
unsigned char *check_guarded(size_t size);

/* One call with everything that the ABI lets the caller see. */
struct check_call {
  void *function;
  uintptr_t arguments[4];
  uintptr_t result_before; /* in the register of the result, where a variant's body finds it */
  uintptr_t result;
};

/* Makes the call. Returns NULL, or what it broke: a fault, a register. */
const char *check_call(struct check_call *call);

/* fc_live is read-only once the process runs: gives the tests their way with it. */
void check_live_writable(void);

/* A child process, with what it printed, cut to fit and NUL-terminated. It is killed after 20 seconds. */
struct check_child {
  int status; /* as waitpid() gives it */
  char out[16384];
  char err[16384];
};

/* Is the program run by CHECK_EMULATOR, a command that starts programs of this architecture? */
bool check_emulated(void);

/* variables: NULL-terminated, "NAME=value"; no other variable that starts with FASTCOPY_ is passed on. */
void check_run(struct check_child *child, const char *const arguments[], const char *const variables[]);

/* Path of this program, to run it again. */
const char *check_self(void);

/* Number of lines in a text. */
size_t check_lines(const char *text);

/* From the architecture. */

const char *arch_call(struct check_call *call); /* without protection against faults */
void arch_cpu_name(char name[64]);

/* Makes features that the CPU lacks executable. Returns those that it emulates from now on; slow. */
uint64_t arch_emulate(uint64_t features);
/* Instructions emulated so far. */
unsigned long arch_emulated(void);

/* Slot contents that count their calls, and copy right. */
void *arch_spy(unsigned which);
extern unsigned long arch_spy_calls[2];

/* Parameters under which every path of the variants is reached at sizes of a few KB. */
struct check_params {
  const char *name;
  size_t values[FC_PARAM_COUNT];
};
unsigned arch_params(const struct check_params **list);

#endif
