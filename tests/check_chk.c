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
  /* the first of them fit */
  enum { FITTING = 4 };
  static const char *const counts[] = {"0", "1", "15", "16", "17", "18", "32", "0x4000000000000000", "-1"};
  static struct check_child with, without;
  int first = check_begin(argc, argv);
  if (first != argc - 2) {
    fprintf(stderr, "usage: check_chk [--seed NUMBER] WITH WITHOUT\n");
    return 2;
  }
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (unsigned f = 0; f < sizeof functions / sizeof functions[0]; f++) {
    unsigned stopped = 0, unnoticed = 0;
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
      if (c < FITTING)
        CHECK(without.status == 0, "chk: %s of %s elements fails without the library too", functions[f], counts[c]);
      else if (WIFSIGNALED(without.status) && WTERMSIG(without.status) == SIGABRT)
        stopped++;
      else
        unnoticed++;
    }
    printf("%s: %u overflows stopped\n", functions[f], stopped);
    if (unnoticed != 0)
      check_skip("chk: %u overflows of %s: this compiler does not fortify it", unnoticed, functions[f]);
    /* every compiler does these */
    CHECK(stopped != 0 || f > 1, "chk: no overflow of %s is stopped, with or without the library", functions[f]);
  }
  return check_end();
}
