/* SPDX-License-Identifier: MIT */
/*
 * Opens the library, asks for the plan, copies, closes, over again in every mode, on the main stack and on the smallest
 * thread stack: the same plan each time.
 *
 * usage: reload <libfastcopy.so> [once | open]
 * once: one dlopen and one copy; open: no copies, so that any library will do
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fastcopy.h"

static const char *path;
static char first[256];
static int only_open;
static const int modes[] = {RTLD_LAZY | RTLD_LOCAL, RTLD_NOW | RTLD_LOCAL, RTLD_LAZY | RTLD_GLOBAL,
                            RTLD_NOW | RTLD_GLOBAL, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND};

static int use(void *library) {
  if (only_open)
    return 0;
  void *(*copy)(void *, const void *, size_t);
  int (*describe)(struct fastcopy_plan *);
  *(void **)&copy = dlsym(library, "fastcopy_memcpy");
  *(void **)&describe = dlsym(library, "fastcopy_describe");
  struct fastcopy_plan plan = {.size = sizeof plan};
  if (copy == NULL || describe == NULL || describe(&plan) != 0)
    return 1;
  char plan_text[256], text[100] = "text";
  copy(text + 50, text, 50);
  if (strcmp(text + 50, "text") != 0)
    return 1;
  snprintf(plan_text, sizeof plan_text, "%s %s %s", plan.memcpy_variant, plan.memmove_variant, plan.reason);
  if (first[0] == '\0')
    strcpy(first, plan_text);
  if (strcmp(first, plan_text) != 0) {
    printf("first %s, then %s\n", first, plan_text);
    return 1;
  }
  return 0;
}

static int use_all(void) {
  for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    void *library = dlopen(path, modes[i]);
    if (library == NULL) {
      printf("mode %#x: %s\n", modes[i], dlerror());
      return 1;
    }
    if (use(library) || dlclose(library) != 0)
      return 1;
    if (dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL) {
      printf("mode %#x: still loaded after dlclose\n", modes[i]);
      return 1;
    }
  }
  return 0;
}

static void *thread(void *result) {
  *(int *)result = use_all();
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    return 2;
  path = argv[1];
  if (argc == 3 && strcmp(argv[2], "once") == 0) {
    void *library = dlopen(path, RTLD_NOW);
    return library == NULL || use(library) || dlclose(library) != 0 || puts("opening is right") < 0;
  }
  only_open = argc == 3;
  if (use_all() || use_all())
    return 1;
  /* another namespace has its own C library and its own start data */
  void *apart = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
  if (apart == NULL) {
    printf("dlmopen: %s\n", dlerror());
    return 1;
  }
  char keep[sizeof first];
  strcpy(keep, first);
  first[0] = '\0';
  if (use(apart) || dlclose(apart) != 0)
    return 1;
  printf("own namespace: %s\n", strcmp(keep, first) == 0 ? "the same plan" : first);
  strcpy(first, keep);

  pthread_t id;
  pthread_attr_t attributes;
  int result = 1;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN) + 16384);
  if (pthread_create(&id, &attributes, thread, &result) != 0 || pthread_join(id, NULL) != 0 || result != 0)
    return 1;
  puts("reloading is right");
  return 0;
}
