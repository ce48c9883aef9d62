/* SPDX-License-Identifier: MIT */
/* System calls without the C library: the resolver cannot call it, and errno belongs to the program. */
#ifndef FC_X86_SYSCALL_H
#define FC_X86_SYSCALL_H

#include <asm/stat.h>
#include <asm/unistd.h>

#define FC_NR_fstatat __NR_newfstatat
typedef struct stat fc_stat;

/* Returns the kernel's result: negative errors in -4095..-1. */
static inline long fc_syscall5(long number, long a, long b, long c, long d, long e) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}

static inline long fc_syscall4(long number, long a, long b, long c, long d) {
  return fc_syscall5(number, a, b, c, d, 0);
}

#endif
