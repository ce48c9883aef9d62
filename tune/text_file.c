/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune.h"

/* `size` bytes were read and a terminator stands behind them; what is wrong with them, or with the reading? */
static bool is_text(const char *path, const struct text_kind *kind, FILE *file, const char *text, size_t size) {
  if (ferror(file))
    tune_error("cannot read the %s %s: %s", kind->name, path, strerror(errno));
  else if (size > kind->most)
    tune_error("%s: more than %zu MiB, so it is no %s; see %s", path, kind->most >> 20, kind->name, kind->manual);
  else if (strlen(text) != size)
    tune_error("%s: not a text file, so it is no %s; see %s", path, kind->name, kind->manual);
  else
    return true;
  return false;
}

char *tune_read_text(const char *path, const struct text_kind *kind) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    tune_error("cannot open the %s %s: %s", kind->name, path, strerror(errno));
    return NULL;
  }
  char *text = malloc(kind->most + 2);
  if (text == NULL) {
    tune_error("not enough memory for the %s %s", kind->name, path);
  } else {
    errno = 0;
    size_t size = fread(text, 1, kind->most + 1, file);
    text[size] = '\0';
    if (!is_text(path, kind, file, text, size)) {
      free(text);
      text = NULL;
    }
  }
  fclose(file);
  return text;
}
