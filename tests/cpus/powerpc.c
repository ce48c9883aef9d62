/* SPDX-License-Identifier: MIT */
/*
 * PowerPC CPUs as Linux shows them to a program: the PVR, AT_HWCAP, AT_HWCAP2, and the bytes that dcbz clears. The bits
 * that the registry reads are as the kernel sets them; of the others only some. Rows that say "as qemu has it" are
 * what qemu-user 7.2 shows.
 */
#include "cpus.h"

#include "arch_cpu.h"

enum { ALTIVEC = 0x10000000, FPU = 0x08000000, ARCH_2_05 = 0x1000, ARCH_2_06 = 0x100, VSX = 0x80 };
#define ARCH_2_07 0x80000000u
#define ARCH_3_00 0x00800000u
#define ARCH_3_1 0x00040000u
#define POWER7 (ALTIVEC | FPU | ARCH_2_06 | VSX)
#define POWER9 (ARCH_2_07 | ARCH_3_00)
#define POWER10 (POWER9 | ARCH_3_1)

struct row {
  const char *name;
  uint32_t pvr;
  unsigned long hwcap, hwcap2;
  unsigned dcbz;
  const char *variant;
  size_t touch_buffers;
};

static const struct row rows[] = {
#ifdef __powerpc64__
    {"POWER4+", 0x00380100, FPU, 0, 128, "word", 4},
    {"970FX", 0x003c0301, ALTIVEC | FPU, 0, 128, "word", 4},
    {"970FX as qemu has it", 0x003c0301, ALTIVEC | FPU, 0, 32, "word", 4},
    {"POWER5+", 0x003b0201, FPU, 0, 128, "word", 4},
    {"Cell", 0x00700501, ALTIVEC | FPU, 0, 128, "word", 4},
    {"PA6T", 0x00900102, ALTIVEC | FPU, 0, 64, "word", 4},
    {"POWER6", 0x003e0301, ALTIVEC | FPU | ARCH_2_05, 0, 128, "word", 4},
    {"e5500", 0x80240020, FPU, 0, 64, "word", 4},
    {"e6500", 0x80400020, ALTIVEC | FPU, 0, 64, "word", 4},
    {"e6500 as qemu has it", 0x80400020, ALTIVEC | FPU, 0, 32, "word", 4},
    {"POWER7", 0x003f0203, POWER7, 0, 128, "vsx", 4},
    {"POWER8", 0x004d0200, POWER7, ARCH_2_07, 128, "vsx", 4},
    {"POWER9", 0x004e1203, POWER7, POWER9, 128, "power9", 4},
    {"POWER10", 0x00800200, POWER7, POWER10, 128, "power10", 4},
    {"POWER10 in the mode of POWER9", 0x00800200, POWER7, POWER9, 128, "power9", 4},
    {"POWER10 in the mode of POWER8", 0x00800200, POWER7, ARCH_2_07, 128, "vsx", 4},
    {"POWER9, dcbz not tried", 0x004e1203, POWER7, POWER9, 0, "power9", 4},
    {"POWER10 whose system saves no VSX registers", 0x00800200, POWER7 & ~VSX, POWER10, 128, "word", 4},
    {"POWER10 whose system saves no vector registers", 0x00800200, FPU | ARCH_2_06, POWER10, 128, "word", 4},
    {"POWER9 under Valgrind, which shows no PVR", 0, POWER7, POWER9, 128, "power9", 4},
#else
    {"603e", 0x00060401, FPU, 0, 32, "word", 1},
    {"603ev", 0x00070201, FPU, 0, 32, "word", 1},
    {"MPC8240", 0x00810101, FPU, 0, 32, "word", 1},
    {"e300c1", 0x00830010, FPU, 0, 32, "word", 1},
    {"e300c2, which has no FPU", 0x00840010, 0, 0, 32, "cacheline32", 1},
    {"e300c3", 0x00850010, FPU, 0, 32, "cacheline32", 1},
    {"e300c3, dcbz not tried", 0x00850010, FPU, 0, 0, "word", 1},
    {"e300c4", 0x00860010, FPU, 0, 32, "word", 1},
    {"750CL", 0x00087210, FPU, 0, 32, "word", 4},
    {"7457", 0x80020102, ALTIVEC | FPU, 0, 32, "word", 4},
    {"e500v2", 0x80210022, 0, 0, 32, "word", 4},
    {"e500mc", 0x80230020, FPU, 0, 64, "word", 4},
    {"476", 0x11a52000, FPU, 0, 128, "word", 4},
    {"970FX, 32-bit program", 0x003c0301, ALTIVEC | FPU, 0, 128, "word", 4},
    {"POWER9, 32-bit program", 0x004e1203, POWER7, POWER9, 128, "word", 4},
#endif
};

const struct recorded_cpu *recorded_cpu(unsigned index) {
  static struct recorded_cpu recorded;
  if (index >= sizeof rows / sizeof rows[0])
    return NULL;
  const struct row *row = &rows[index];
  fc_powerpc_cpu(&recorded.cpu, row->pvr, row->hwcap, row->hwcap2, row->dcbz);
  recorded.name = row->name;
  recorded.variant = row->variant;
  recorded.params[FC_PARAM_dcbz_min] = 512;
  recorded.params[FC_PARAM_dcbt_ahead] = row->touch_buffers == 1 ? 1 : 4;
  recorded.params[FC_PARAM_touch_buffers] = row->touch_buffers;
  recorded.params[FC_PARAM_cacheable] = 0;
  return &recorded;
}
