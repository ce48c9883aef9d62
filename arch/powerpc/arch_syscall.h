/* SPDX-License-Identifier: MIT */
/* System calls without the C library: the resolver cannot call it, and errno belongs to the program. */
#ifndef FC_POWERPC_SYSCALL_H
#define FC_POWERPC_SYSCALL_H

#include <asm/stat.h>
#include <asm/unistd.h>

#ifdef __powerpc64__
#define FC_NR_fstatat __NR_newfstatat
typedef struct stat fc_stat;
#else
#define FC_NR_fstatat __NR_fstatat64
typedef struct stat64 fc_stat;
#endif

/* Returns negative errors in -4095..-1. The kernel returns them positive and says so in the summary-overflow bit of cr0. */
static inline long fc_syscall5(long number, long a, long b, long c, long d, long e) {
  register long r0 __asm__("r0") = number;
  register long r3 __asm__("r3") = a;
  register long r4 __asm__("r4") = b;
  register long r5 __asm__("r5") = c;
  register long r6 __asm__("r6") = d;
  register long r7 __asm__("r7") = e;
  __asm__ volatile("sc\n\t"
                   "bns+ 0f\n\t"
                   "neg %1, %1\n"
                   "0:"
                   : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7)
                   :
                   : "r8", "r9", "r10", "r11", "r12", "ctr", "cr0", "xer", "memory");
  return r3;
}

static inline long fc_syscall4(long number, long a, long b, long c, long d) {
  return fc_syscall5(number, a, b, c, d, 0);
}

#endif
