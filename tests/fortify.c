/* SPDX-License-Identifier: MIT */
/*
 * A fortified program: calls one function whose destination has room for 16 elements, with as many as it is told.
 * Built with and without the library's objects, to be compared by check_chk.
 *
 * usage: fortify FUNCTION COUNT (exit 3: there is no such function, 4: the function is not fortified here)
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { ROOM = 16 };

static char bytes[ROOM], more_bytes[4 * ROOM];
static wchar_t wide[ROOM], more_wide[4 * ROOM];

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const char *function = argv[1];
  size_t count = strtoul(argv[2], NULL, 0);
  void *result;
  memset(more_bytes, 'x', sizeof more_bytes);
  wmemset(more_wide, L'x', sizeof more_wide / sizeof more_wide[0]);
  if (strcmp(function, "memcpy") == 0)
    result = memcpy(bytes, more_bytes, count);
  else if (strcmp(function, "memmove") == 0)
    result = memmove(bytes, more_bytes, count);
  else if (strcmp(function, "mempcpy") == 0)
    result = mempcpy(bytes, more_bytes, count);
  else if (strcmp(function, "wmemcpy") == 0)
    result = wmemcpy(wide, more_wide, count);
  else if (strcmp(function, "wmemmove") == 0)
    result = wmemmove(wide, more_wide, count);
  else if (strcmp(function, "wmempcpy") == 0)
    result = wmempcpy(wide, more_wide, count);
  else
    return 3;
  /* past the check; without one the overflow would have gone unnoticed */
  if (count > ROOM)
    return 4;
  const char *start = function[0] == 'w' ? (char *)wide : bytes;
  printf("%s returns dst + %td: ", function, (char *)result - start);
  for (size_t i = 0; i < ROOM; i++)
    putchar(function[0] == 'w' ? "-x"[wide[i] == L'x'] : "-x"[bytes[i] == 'x']);
  putchar('\n');
  return 0;
}
