/* SPDX-License-Identifier: MIT */
/*
 * How a measured program talks to the plugin that counts under qemu (tests/sim/count.c): instructions that change
 * nothing and that no compiler makes, xoris rN, rN, 0. Nothing elsewhere than on PowerPC.
 */
#ifndef TUNE_MARKS_H
#define TUNE_MARKS_H

enum mark {
  MARK_COLD = 20,   /* an empty cache */
  MARK_START = 21,  /* all counts to 0 */
  MARK_ON = 22,     /* count from here ... */
  MARK_OFF = 23,    /* ... to here */
  MARK_REPORT = 24, /* a line of counts */
};

#define MARK_OPCODE(number) (0x6c000000u | (unsigned)(number) << 21 | (unsigned)(number) << 16)

#ifdef __powerpc__
#define HAVE_MARKS 1
#define MARK(number) __asm__ volatile("xoris %0, %0, 0" : : "i"(number) : "memory")
#else
#define HAVE_MARKS 0
#define MARK(number) ((void)(number))
#endif

#endif
