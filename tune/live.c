/* SPDX-License-Identifier: MIT */
#include "live.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tune.h"

/* fc_live lies in RELRO memory; a change of the whole pages around it touches no other data. */
static int protect(int protection) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t)&fc_live & ~(page - 1);
  uintptr_t end = ((uintptr_t)(&fc_live + 1) + page - 1) & ~(page - 1);
  return mprotect((void *)start, end - start, protection);
}

int live_open(void) {
  if (protect(PROT_READ | PROT_WRITE) != 0) {
    tune_error("cannot make the slots of memcpy writable to try plans: %s", strerror(errno));
    return -1;
  }
  return 0;
}

void live_restore(void) {
  fc_live_set(&fc_report.plan);
  protect(PROT_READ);
}
