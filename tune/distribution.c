/* SPDX-License-Identifier: MIT */
#include "distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune.h"

#define SIZE_MOST ((unsigned long long)1 << 40)

static int add(struct distribution *distribution, size_t size, double share) {
  /* doubled whenever the count reaches a power of two */
  size_t count = distribution->count;
  if ((count & (count - 1)) == 0) {
    struct band *bands = realloc(distribution->bands, (count == 0 ? 1 : 2 * count) * sizeof *bands);
    if (bands == NULL)
      return -1;
    distribution->bands = bands;
  }
  distribution->bands[distribution->count++] = (struct band){size, size, share};
  return 0;
}

void distribution_free(struct distribution *distribution) {
  free(distribution->bands);
  *distribution = (struct distribution){0};
}

static int digit(char c) { return c >= '0' && c <= '9'; }

/* Returns what is wrong at *at, NULL when a pair was read and *at is past it. */
static const char *pair(const char **at, size_t *size, double *share) {
  if (!digit(**at))
    return "a size in bytes was expected";
  char *end;
  errno = 0;
  unsigned long long bytes = strtoull(*at, &end, 10);
  if (errno != 0 || bytes > SIZE_MOST)
    return "this size is too large";
  *size = (size_t)bytes;
  *at = end;
  if (**at != ':')
    return "':' and a probability were expected after the size";
  ++*at;
  if (!digit(**at) && **at != '.')
    return "a probability was expected";
  *share = strtod(*at, &end);
  if (end == *at || !isfinite(*share))
    return "a probability was expected";
  *at = end;
  return NULL;
}

int distribution_parse(struct distribution *distribution, const char *text, const char *path) {
  *distribution = (struct distribution){0};
  unsigned line = 1;
  size_t lists = 0, first_list = 0; /* lines that held pairs; pairs on the first of them */
  double total = 0;
  const char *wrong = NULL, *at = text, *start = text;
  while (wrong == NULL && *at != '\0') {
    start = at;
    size_t pairs = 0;
    while (*at != '\0' && *at != '\n' && *at != '\r') {
      size_t size;
      double share;
      if (pairs != 0 && *at++ != ',') {
        at--;
        wrong = "',' or the end of the line was expected";
        break;
      }
      if ((wrong = pair(&at, &size, &share)) != NULL)
        break;
      pairs++;
      if (lists != 0 && first_list > 1)
        continue;
      total += share;
      if (add(distribution, size, share) != 0) {
        tune_error("not enough memory for %s", path);
        distribution_free(distribution);
        return -1;
      }
    }
    if (wrong != NULL)
      break;
    if (pairs != 0 && lists++ == 0)
      first_list = pairs;
    at += *at == '\r';
    if (*at == '\n') {
      at++;
      line++;
    } else if (*at != '\0') {
      wrong = "the end of the line was expected";
    }
  }
  if (wrong == NULL && !(total > 0)) {
    wrong = "there is no size with a probability above 0";
    start = at;
  }
  if (wrong != NULL) {
    tune_error("%s:%u:%zu: %s", path, line, (size_t)(at - start) + 1, wrong);
    distribution_free(distribution);
    return -1;
  }
  return 0;
}

int distribution_read(struct distribution *distribution, const char *path) {
  static const struct text_kind kind = {"distribution", "fastcopy-tune(1)", (size_t)16 << 20};
  char *text = tune_read_text(path, &kind);
  int result = text == NULL ? -1 : distribution_parse(distribution, text, path);
  free(text);
  return result;
}
