/* SPDX-License-Identifier: MIT */
/*
 * libfastcopy: memcpy and memmove chosen by measuring the machine.
 *
 * Programs need nothing from this header to gain: linking with -lfastcopy, or preloading the library,
 * replaces memcpy, memmove, mempcpy, bcopy, the wide-character and the fortified forms. The header is
 * for those that want to bind the chosen variant directly, or ask which one it is.
 */
#ifndef FASTCOPY_H
#define FASTCOPY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version, stated here and nowhere else: the build reads it from these lines. */
#define FASTCOPY_VERSION_MAJOR 0
#define FASTCOPY_VERSION_MINOR 1
#define FASTCOPY_VERSION_PATCH 0
#define FASTCOPY_VERSION_STRING         \
  FASTCOPY_TEXT(FASTCOPY_VERSION_MAJOR) \
  "." FASTCOPY_TEXT(FASTCOPY_VERSION_MINOR) "." FASTCOPY_TEXT(FASTCOPY_VERSION_PATCH)
#define FASTCOPY_TEXT(macro) FASTCOPY_TEXT_(macro)
#define FASTCOPY_TEXT_(text) #text

/*
 * Copy n bytes (0..SIZE_MAX/2) from src to dst. The regions may overlap in any way, for all three: the
 * result is as if the source had been read whole first. Not a byte outside the two regions is read or
 * written, and with n = 0 none at all, so that the pointers may then be anything.
 *
 * Returns: dst; fastcopy_mempcpy returns dst + n. There are no errors.
 * Threads, signals: safe from any thread and from signal handlers; no state, no lock, errno untouched.
 * Stack: on x86_64 the copies, as those behind memcpy and its family, may use the 128 bytes below the stack pointer that
 * the ABI gives to leaf functions. Code that runs on a stack with less room than that must copy by itself.
 *
 * The loader binds each of these straight to the variant in force (STT_GNU_IFUNC).
 */
void *fastcopy_memcpy(void *dst, const void *src, size_t n);
void *fastcopy_memmove(void *dst, const void *src, size_t n);
void *fastcopy_mempcpy(void *dst, const void *src, size_t n);

/*
 * The version of the library that is loaded, as "major.minor.patch": a constant string.
 * Threads, signals: safe from any thread and from signal handlers.
 */
const char *fastcopy_version(void);

/* A number that the plan sets: a threshold in bytes, unless its name says otherwise. */
struct fastcopy_parameter {
  const char *name; /* as `fastcopy-tune show` prints it */
  const char *doc;  /* one line */
  size_t value;     /* in force here; SIZE_MAX means "never" for a threshold */
};

#define FASTCOPY_PARAMETERS 16

/*
 * The plan in force in this process. `size` is set by the caller and lets the structure grow: a library
 * newer than the caller fills only what the caller's structure holds.
 */
struct fastcopy_plan {
  size_t size;                     /* in: sizeof(struct fastcopy_plan) */
  const char *memcpy_variant;      /* variant behind memcpy, mempcpy and wmemcpy */
  const char *memmove_variant;     /* variant behind memmove, bcopy and wmemmove */
  const char *source;              /* "built-in", "table" or "environment" */
  const char *reason;              /* why that source, one phrase */
  const char *table;               /* path of the tuning table that was looked for; "" if none was */
  unsigned long long cpu;          /* CPU identity: leaf 1 EAX on x86, PVR on PowerPC */
  unsigned long long feature_hash; /* with cpu, the signature that table entries carry */
  char features[256];              /* usable features that variants ask for, named as in /proc/cpuinfo: "avx, avx2" */
  size_t parameter_count;
  struct fastcopy_parameter parameters[FASTCOPY_PARAMETERS]; /* parameter_count of them */
};

/*
 * Describe the plan in force. The strings that it points to are constant and live as long as the library.
 * Returns: 0, or -1 when plan is NULL or plan->size is smaller than the first version's structure.
 * Threads, signals: safe from any thread and from signal handlers.
 */
int fastcopy_describe(struct fastcopy_plan *plan);

/* One variant of the registry. `size` works as in struct fastcopy_plan. */
struct fastcopy_variant {
  size_t size;       /* in: sizeof(struct fastcopy_variant) */
  const char *name;  /* as FASTCOPY_VARIANT takes it */
  const char *needs; /* features it executes, "avx, avx2"; "" when any CPU of the architecture runs it */
  int usable;        /* 1 when this CPU, as the process sees it, has them all */
  int measured_only; /* 1 when only a table or FASTCOPY_VARIANT chooses it, never the built-in rules */
  void *(*memmove)(void *dst, const void *src, size_t n);
};

/*
 * Enumerate the variants: fill *variant for index 0, 1, 2, … in the order of preference.
 * Returns: 0, or -1 past the last one, when variant is NULL, or variant->size is smaller than the first
 * version's structure. Calling a `memmove` whose `usable` is 0 may end the process with SIGILL.
 * Threads, signals: safe from any thread and from signal handlers.
 */
int fastcopy_variants(size_t index, struct fastcopy_variant *variant);

#ifdef __cplusplus
}
#endif

#endif
