/* SPDX-License-Identifier: MIT */
/* The data that the kernel left on the initial stack, reached with no call and no system call. */
#ifndef FC_STARTUP_H
#define FC_STARTUP_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct fc_startup {
  const char *const *envp;   /* NULL-terminated; NULL when it was not found */
  bool found;                /* envp and the fields below are real */
  bool secure;               /* AT_SECURE, and true when not found: then nothing of the user's counts */
  unsigned long hwcap;       /* AT_HWCAP */
  unsigned long hwcap2;      /* AT_HWCAP2 */
  unsigned long dcache_line; /* AT_DCACHEBSIZE in bytes, 0 where the kernel gives none */
};

void fc_startup_read(struct fc_startup *startup);

/* FASTCOPY_CACHEABLE: is every region that the process copies ordinary cacheable memory? */
enum fc_promise { FC_UNSAID, FC_DENIED, FC_PROMISED };

/* What the environment asks for; pointers into the initial stack, valid while the resolver runs. */
struct fc_env {
  const char *table;         /* FASTCOPY_TABLE, NULL when unset */
  const char *variant;       /* FASTCOPY_VARIANT, NULL when unset or empty */
  const char *disable;       /* FASTCOPY_DISABLE: feature names, "table" or "all", separated by commas */
  bool verbose;              /* FASTCOPY_VERBOSE set, not empty and not "0" */
  enum fc_promise cacheable; /* FASTCOPY_CACHEABLE: unset or empty, "0", or anything else */
};

/* Reads the FASTCOPY_ variables; all stay unset in a secure process. */
void fc_env_read(struct fc_env *env, const struct fc_startup *startup);

/* Is `word` one of the comma-separated words of `list`? list may be NULL. */
bool fc_list_has(const char *list, const char *word);

/* The features that `disable` names. */
unsigned long long fc_env_disabled(const char *disable);

#pragma GCC visibility pop

#endif
