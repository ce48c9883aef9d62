/* SPDX-License-Identifier: MIT */
/*
 * CPUID words of x86_64 CPUs, reduced to the bits that the registry reads and OSXSAVE:
 *   leaf 1: EAX whole (family, model, stepping); ECX 27 OSXSAVE, 28 AVX; EDX 26 SSE2
 *   leaf 7: EBX 5 AVX2, 8 BMI2, 9 ERMS, 11 RTM, 16 AVX512F, 30 AVX512BW, 31 AVX512VL; EDX 4 FSRM
 * and XCR0 as an operating system of the time sets it. Rows that say "with" are such a CPU under a hypervisor or
 * an operating system that shows less of it.
 */
#include "cpus.h"

#include "arch_cpu.h"

enum {
  OSXSAVE = 1 << 27,
  AVX = 1 << 28,
  SSE2 = 1 << 26,
  AVX2 = 1 << 5,
  BMI2 = 1 << 8,
  ERMS = 1 << 9,
  RTM = 1 << 11,
  FSRM = 1 << 4,
};
#define AVX512 (1u << 16 | 1u << 30 | 1u << 31)
#define AVX512F (1u << 16)

/* What the built-in rules make of rep movsb. */
enum rep { NEVER, FROM_4096 };

struct row {
  const char *name;
  unsigned id, leaf1_ecx, leaf1_edx, leaf7_ebx, leaf7_edx, xcr0;
  const char *variant;
  enum rep rep;
};

static const struct row rows[] = {
    /* Intel */
    {"Prescott, a baseline x86_64", 0xf4a, 0, SSE2, 0, 0, 0, "sse2", NEVER},
    {"Core 2 (Merom)", 0x6fb, 0, SSE2, 0, 0, 0, "sse2", NEVER},
    {"Nehalem", 0x106a5, 0, SSE2, 0, 0, 0, "sse2", NEVER},
    {"Sandy Bridge", 0x206a7, OSXSAVE | AVX, SSE2, 0, 0, 0x7, "sse2", NEVER},
    {"Ivy Bridge", 0x306a9, OSXSAVE | AVX, SSE2, ERMS, 0, 0x7, "sse2", FROM_4096},
    {"Haswell", 0x306c3, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS, 0, 0x7, "avx2", FROM_4096},
    {"Haswell, early microcode", 0x306c3, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | RTM, 0, 0x7, "sse2", FROM_4096},
    {"Broadwell", 0x306d4, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS, 0, 0x7, "avx2", FROM_4096},
    {"Broadwell-EP", 0x406f1, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | RTM, 0, 0x7, "sse2", FROM_4096},
    {"Skylake client", 0x506e3, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS, 0, 0x1f, "avx2", FROM_4096},
    {"Skylake client, early microcode", 0x506e3, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | RTM, 0, 0x1f, "sse2",
     FROM_4096},
    {"Skylake-X", 0x50654, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | RTM | AVX512, 0, 0x2ff, "evex", FROM_4096},
    {"Ice Lake client", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x2e7, "evex", FROM_4096},
    {"Ice Lake server", 0x606a6, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x2e7, "evex", FROM_4096},
    {"Alder Lake", 0x90672, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS, FSRM, 0x207, "avx2", FROM_4096},
    {"Sapphire Rapids", 0x806f8, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | RTM | AVX512, FSRM, 0x602e7, "evex",
     FROM_4096},
    {"Knights Landing, which lacks avx512vl", 0x50671, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512F, 0, 0xe7,
     "avx2", FROM_4096},
    /* AMD: E9, no rep movsb by rule */
    {"K8", 0x40fb2, 0, SSE2, 0, 0, 0, "sse2", NEVER},
    {"Bulldozer", 0x600f12, OSXSAVE | AVX, SSE2, 0, 0, 0x7, "sse2", NEVER},
    {"Excavator", 0x660f01, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2_narrow", NEVER},
    {"Zen 1", 0x800f11, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2_narrow", NEVER},
    {"Zen+", 0x800f82, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2_narrow", NEVER},
    {"Dali, a late Zen 1", 0x820f01, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2_narrow", NEVER},
    {"Hygon, family 18h model 4", 0x900f41, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2", NEVER},
    {"Dhyana", 0x900f02, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2_narrow", NEVER},
    {"Zen 2", 0x830f10, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2", NEVER},
    {"Zen 3", 0xa00f11, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS, FSRM, 0x207, "avx2", NEVER},
    {"Zen 4", 0xa10f11, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x2e7, "evex", NEVER},
    {"Zen 5", 0xb00f21, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x2e7, "evex", NEVER},
    /* hypervisors */
    {"Sapphire Rapids with AVX-512 and RTM masked", 0x806f8, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS, FSRM, 0x207,
     "avx2", FROM_4096},
    {"Zen 5 with AVX-512, ERMS and FSRM masked", 0xb00f21, OSXSAVE | AVX, SSE2, AVX2 | BMI2, 0, 0x7, "avx2", NEVER},
    {"Zen 4 with BMI2 masked", 0xa10f11, OSXSAVE | AVX, SSE2, AVX2 | ERMS | AVX512, FSRM, 0x2e7, "evex", NEVER},
    {"Zen 3 with AVX masked and AVX2 left", 0xa00f11, OSXSAVE, SSE2, AVX2 | BMI2 | ERMS, FSRM, 0x207, "sse2", NEVER},
    /* C1: operating systems that save less than the CPU has */
    {"Ice Lake with XCR0 0x3", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x3, "sse2", FROM_4096},
    {"Ice Lake with XCR0 0x5", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x5, "sse2", FROM_4096},
    {"Ice Lake with XCR0 0x7", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x7, "avx2", FROM_4096},
    {"Ice Lake with XCR0 0x27", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x27, "avx2",
     FROM_4096},
    {"Ice Lake with XCR0 0x67", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0x67, "avx2",
     FROM_4096},
    {"Ice Lake with XCR0 0xa7", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0xa7, "avx2",
     FROM_4096},
    {"Ice Lake with XCR0 0xc7", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0xc7, "avx2",
     FROM_4096},
    {"Ice Lake with XCR0 0xe3", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0xe3, "sse2",
     FROM_4096},
    {"Ice Lake with XCR0 0xe7", 0x706e5, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0xe7, "evex",
     FROM_4096},
    {"Skylake-X with XCR0 0x7", 0x50654, OSXSAVE | AVX, SSE2, AVX2 | BMI2 | ERMS | RTM | AVX512, 0, 0x7, "sse2",
     FROM_4096},
    {"Ice Lake with OSXSAVE clear", 0x706e5, AVX, SSE2, AVX2 | BMI2 | ERMS | AVX512, FSRM, 0, "sse2", FROM_4096},
};

const struct recorded_cpu *recorded_cpu(unsigned index) {
  static struct recorded_cpu recorded;
  if (index >= sizeof rows / sizeof rows[0])
    return NULL;
  const struct row *row = &rows[index];
  unsigned leaf1[4] = {row->id, 0, row->leaf1_ecx, row->leaf1_edx};
  unsigned leaf7[4] = {0, row->leaf7_ebx, 0, row->leaf7_edx};
  fc_x86_mask_xcr0(leaf1, leaf7, row->leaf1_ecx & OSXSAVE ? row->xcr0 : 0);
  fc_x86_cpu(&recorded.cpu, row->id, leaf1, leaf7);
  recorded.name = row->name;
  recorded.variant = row->variant;

  const size_t non_temporal = (size_t)32 << 20;
  bool rep = row->rep == FROM_4096;
  recorded.params[FC_PARAM_masked_below] = 0;
  recorded.params[FC_PARAM_rep_movsb_min] = rep ? 4096 : SIZE_MAX;
  recorded.params[FC_PARAM_rep_movsb_max] = rep ? non_temporal : SIZE_MAX;
  recorded.params[FC_PARAM_rep_movsb_skew] = rep ? 64 : 0;
  recorded.params[FC_PARAM_non_temporal_min] = non_temporal;
  return &recorded;
}
