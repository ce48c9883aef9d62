/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf */
#include "preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined PRELOAD_LIBDIR || !defined PRELOAD_RELATIVE_LIBDIR
#error "PRELOAD_LIBDIR, PRELOAD_RELATIVE_LIBDIR: where libraries lie, set by the build"
#endif

bool preload_find(char library[PATH_MAX], const char *name, const char *folder, preload_complain *complain) {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length < 0 ? 0 : length] = '\0';
  char *slash = strrchr(self, '/');
  if (slash != NULL)
    *slash = '\0';
  const struct {
    const char *base, *path, *folder;
  } places[] = {{self, "/..", ""}, {self, "/" PRELOAD_RELATIVE_LIBDIR, folder}, {PRELOAD_LIBDIR, "", folder}};
  char tried[3 * PATH_MAX] = "";
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char place[2 * PATH_MAX], real[PATH_MAX];
    if (places[i].base == self && slash == NULL)
      continue;
    snprintf(place, sizeof place, "%s%s%s", places[i].base, places[i].path, places[i].folder);
    if (realpath(place, real) != NULL && snprintf(library, PATH_MAX, "%s/%s", real, name) < PATH_MAX &&
        access(library, R_OK) == 0)
      return true;
    size_t told = strlen(tried);
    snprintf(tried + told, sizeof tried - told, "%s%s", told == 0 ? "" : ", ", place);
  }
  complain("no %s in %s; install libfastcopy, or run this from where it was installed", name, tried);
  return false;
}

/* Does LD_PRELOAD name this very file, or name it first? */
static bool is_preloaded(const char *before, const char *library, bool first) {
  struct stat wanted, found;
  bool is = false;
  char *names = strdup(before), *rest = names;
  if (stat(library, &wanted) != 0)
    rest = NULL;
  while (rest != NULL && !is) {
    const char *name = strsep(&rest, " :");
    is = strchr(name, '/') != NULL && stat(name, &found) == 0 && found.st_dev == wanted.st_dev &&
         found.st_ino == wanted.st_ino;
    if (first && *name != '\0')
      break;
  }
  free(names);
  return is;
}

/* ld.so separates the names in LD_PRELOAD by blanks and colons, replaces $LIB and its like, and knows no way to escape. */
bool preload_add(const char *library, bool first, preload_complain *complain) {
  if (strpbrk(library, " :$") != NULL) {
    complain("the library %s cannot be preloaded: LD_PRELOAD knows no blank, no colon and no $ in a path; install it "
             "elsewhere",
             library);
    return false;
  }
  const char *before = getenv("LD_PRELOAD");
  if (before != NULL && is_preloaded(before, library, first))
    return true;
  before = before != NULL ? before : "";
  char *value = NULL;
  bool good =
      asprintf(&value, "%s%s%s", first ? library : before, *before != '\0' ? ":" : "", first ? before : library) >= 0 &&
      setenv("LD_PRELOAD", value, 1) == 0;
  free(value);
  if (!good)
    complain("cannot set LD_PRELOAD: %s", strerror(ENOMEM));
  return good;
}
