/* SPDX-License-Identifier: MIT */
/*
 * D19: a fortified program that overflows by one element ends the same way, to the letter, with the library as
 * without; one that does not overflow goes on.
 *
 * usage: check_chk [--seed NUMBER] WITH WITHOUT: two builds of fortify.c
 */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  static const char *const functions[] = {"memcpy", "memmove", "mempcpy", "wmemcpy", "wmemmove", "wmempcpy"};
  static const char *const counts[] = {"0", "1", "15", "16", "17", "18", "32", "0x4000000000000000", "-1"};
  static struct check_child with, without;
  int first = check_begin(argc, argv);
  if (first != argc - 2) {
    fprintf(stderr, "usage: check_chk [--seed NUMBER] WITH WITHOUT\n");
    return 2;
  }
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  unsigned aborted = 0;
  for (unsigned f = 0; f < sizeof functions / sizeof functions[0]; f++) {
    for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      const char *const ours[] = {argv[first], functions[f], counts[c], NULL};
      const char *const theirs[] = {argv[first + 1], functions[f], counts[c], NULL};
      check_run(&with, ours, NULL);
      check_run(&without, theirs, NULL);
      CHECK(with.status == without.status, "chk: %s of %s elements ends with status %#x, without the library %#x",
            functions[f], counts[c], with.status, without.status);
      CHECK(strcmp(with.out, without.out) == 0, "chk: %s of %s elements prints '%s', without the library '%s'",
            functions[f], counts[c], with.out, without.out);
      CHECK(strcmp(with.err, without.err) == 0, "chk: %s of %s elements complains '%s', without the library '%s'",
            functions[f], counts[c], with.err, without.err);
      if (WIFSIGNALED(without.status) && WTERMSIG(without.status) == SIGABRT)
        aborted++;
      else
        CHECK(c < 4 && without.status == 0, "chk: %s of %s elements is not stopped by the C library either",
              functions[f], counts[c]);
    }
  }
  printf("%u overflows stopped\n", aborted);
  CHECK(aborted == 30, "chk: not every overflow was stopped");
  return check_end();
}
