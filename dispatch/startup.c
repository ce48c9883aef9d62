/* SPDX-License-Identifier: MIT */
/* Early code: no absolute relocation, no call outside. */
#include "dispatch/startup.h"

#include <elf.h>
#include <stdint.h>

#include "dispatch/cpu.h"

/*
 * glibc's: the initial stack pointer, which the ABIs align to 16 bytes and which points to argc; in a static program
 * the value a few pushes later. Weak, since other C libraries have no such thing.
 */
extern const void *const __libc_stack_end __attribute__((weak, visibility("default")));

enum { AT_TYPES = 1024 }; /* above every AT_ constant, below every address */

/* Fills *startup from the stack at `argc`. False, with *startup half-filled, when that is no initial stack. */
static bool parse(struct fc_startup *startup, const unsigned long *argc) {
  /* argv ends where argc says */
  if (*argc > 0x7fffffff || argc[1 + *argc] != 0)
    return false;
  const unsigned long *word = argc + 1 + *argc + 1;
  startup->envp = (const char *const *)word;
  while (*word != 0)
    word++;
  /* more than one NULL where the loader took unsafe variables away, as it does for privileged programs */
  while (*word == 0)
    word++;

  bool secure_seen = false;
  for (; word[0] != AT_NULL; word += 2) {
    if (word[0] > AT_TYPES)
      return false;
    switch (word[0]) {
    case AT_SECURE:
      startup->secure = word[1] != 0;
      secure_seen = true;
      break;
    case AT_HWCAP:
      startup->hwcap = word[1];
      break;
    case AT_HWCAP2:
      startup->hwcap2 = word[1];
      break;
    case AT_DCACHEBSIZE:
      startup->dcache_line = word[1];
      break;
    }
  }
  return secure_seen;
}

static void forget(struct fc_startup *startup) {
  startup->envp = NULL;
  startup->found = false;
  startup->secure = true;
  startup->hwcap = 0;
  startup->hwcap2 = 0;
  startup->dcache_line = 0;
}

void fc_startup_read(struct fc_startup *startup) {
  forget(startup);
  if (&__libc_stack_end == NULL || __libc_stack_end == NULL)
    return;
  startup->found = parse(startup, (const unsigned long *)(((uintptr_t)__libc_stack_end + 15) & ~(uintptr_t)15));
  if (!startup->found)
    forget(startup);
}

/* The value of `variable` when its name is FASTCOPY_ and `name`, else NULL. */
static const char *value_of(const char *variable, const char *name) {
  while (*name != '\0' && *variable == *name) {
    variable++;
    name++;
  }
  return *name == '\0' && *variable == '=' ? variable + 1 : NULL;
}

/* Empty, or "0". */
static bool is_off(const char *value) { return value[0] == '\0' || (value[0] == '0' && value[1] == '\0'); }

void fc_env_read(struct fc_env *env, const struct fc_startup *startup) {
  env->table = NULL;
  env->variant = NULL;
  env->disable = NULL;
  env->verbose = false;
  env->cacheable = FC_UNSAID;
  if (!startup->found || startup->secure)
    return;
  for (const char *const *variable = startup->envp; *variable != NULL; variable++) {
    const char *value;
    if ((*variable)[0] != 'F' || (*variable)[1] != 'A')
      continue;
    if ((value = value_of(*variable, "FASTCOPY_TABLE")) != NULL)
      env->table = *value != '\0' ? value : NULL;
    else if ((value = value_of(*variable, "FASTCOPY_VARIANT")) != NULL)
      env->variant = *value != '\0' ? value : NULL;
    else if ((value = value_of(*variable, "FASTCOPY_DISABLE")) != NULL)
      env->disable = value;
    else if ((value = value_of(*variable, "FASTCOPY_VERBOSE")) != NULL)
      env->verbose = !is_off(value);
    else if ((value = value_of(*variable, "FASTCOPY_CACHEABLE")) != NULL)
      env->cacheable = *value == '\0' ? FC_UNSAID : is_off(value) ? FC_DENIED : FC_PROMISED;
  }
}

/* The length of the word at `list`, up to a comma or the end. */
static unsigned long word_length(const char *list) {
  unsigned long length = 0;
  while (list[length] != '\0' && list[length] != ',')
    length++;
  return length;
}

bool fc_list_has(const char *list, const char *word) {
  if (list == NULL)
    return false;
  for (;;) {
    unsigned long length = word_length(list);
    unsigned long i = 0;
    while (i < length && word[i] != '\0' && word[i] == list[i])
      i++;
    if (i == length && word[i] == '\0' && length != 0)
      return true;
    if (list[length] == '\0')
      return false;
    list += length + 1;
  }
}

unsigned long long fc_env_disabled(const char *disable) {
  unsigned long long features = 0;
  if (disable == NULL)
    return 0;
  if (fc_list_has(disable, "all"))
    return ~0ull;
  for (;;) {
    unsigned long length = word_length(disable);
    features |= fc_feature_find(disable, length);
    if (disable[length] == '\0')
      return features;
    disable += length + 1;
  }
}
