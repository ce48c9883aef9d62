/* SPDX-License-Identifier: MIT */
/*
 * Features of an x86_64 CPU. In a virtual machine every CPUID traps to the hypervisor (7 to 14 microseconds
 * measured), so glibc's copy of it is asked first: since 2.33 it has it, already masked by what the
 * operating system enabled and by GLIBC_TUNABLES. Elsewhere CPUID and XGETBV are executed.
 * Early code: no absolute relocation; the one call outside goes through the GOT to libc.so.6, which the loader has
 * relocated before us, since we name it as needed.
 */
#include <stddef.h>

#include "arch/variant.h"
#include "arch_cpu.h"

enum { EAX, EBX, ECX, EDX };

/* XCR0: the register state that the operating system saves */
#define XCR0_AVX 0x06u    /* xmm and upper ymm */
#define XCR0_AVX512 0xe6u /* those, opmask, upper zmm, zmm16-31 */

/* glibc's <sys/platform/x86.h>, which older and other C libraries lack: struct cpuid_feature, enum cpuid_index. */
struct leaf {
  unsigned cpuid[4];
  unsigned active[4];
};
enum { INDEX_LEAF_1 = 0, INDEX_LEAF_7 = 1 };
extern const struct leaf *__x86_get_cpuid_feature_leaf(unsigned index) __attribute__((weak, visibility("default")));

static void cpuid(unsigned leaf, unsigned out[4]) {
  __asm__ volatile("cpuid" : "=a"(out[EAX]), "=b"(out[EBX]), "=c"(out[ECX]), "=d"(out[EDX]) : "0"(leaf), "2"(0));
}

static unsigned xgetbv(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

void fc_x86_mask_xcr0(unsigned leaf1[4], unsigned leaf7[4], unsigned xcr0) {
  if ((xcr0 & XCR0_AVX) != XCR0_AVX) {
    leaf1[ECX] &= ~(1u << 28);
    leaf7[EBX] &= ~(1u << 5);
  }
  if ((xcr0 & XCR0_AVX512) != XCR0_AVX512)
    leaf7[EBX] &= ~(1u << 16 | 1u << 30 | 1u << 31);
}

void fc_x86_cpu(struct fc_cpu *cpu, unsigned id, const unsigned leaf1[4], const unsigned leaf7[4]) {
  cpu->arch = FC_ARCH_X86_64;
  cpu->id = id;
  cpu->features = 0;
#define FC_FEATURE(name, leaf, reg, bit)             \
  if (((leaf) == 1 ? leaf1 : leaf7)[reg] >> (bit)&1) \
    cpu->features |= FC_BIT(name);
#include "features.def"
#undef FC_FEATURE
}

unsigned fc_x86_family(unsigned id) {
  unsigned family = id >> 8 & 15;
  return family == 15 ? family + (id >> 20 & 255) : family;
}

unsigned fc_x86_model(unsigned id) {
  unsigned family = id >> 8 & 15, model = id >> 4 & 15;
  return family == 15 || family == 6 ? model + (id >> 12 & 240) : model;
}

void fc_cpu_detect(struct fc_cpu *cpu, const struct fc_startup *startup) {
  (void)startup;
  unsigned leaf1[4], leaf7[4], id; /* no initialisers: a compiler may make them a call of memset */
  if (&__x86_get_cpuid_feature_leaf != NULL) {
    const struct leaf *one = __x86_get_cpuid_feature_leaf(INDEX_LEAF_1);
    const struct leaf *seven = __x86_get_cpuid_feature_leaf(INDEX_LEAF_7);
    id = one->cpuid[EAX];
    for (unsigned i = 0; i < 4; i++) {
      leaf1[i] = one->active[i];
      leaf7[i] = seven->active[i];
    }
  } else {
    unsigned leaf0[4];
    cpuid(0, leaf0);
    cpuid(1, leaf1);
    id = leaf1[EAX];
    if (leaf0[EAX] >= 7)
      cpuid(7, leaf7);
    else
      leaf7[EAX] = leaf7[EBX] = leaf7[ECX] = leaf7[EDX] = 0;
    /* XGETBV is an illegal instruction where OSXSAVE is clear */
    fc_x86_mask_xcr0(leaf1, leaf7, leaf1[ECX] & 1u << 27 ? xgetbv() : 0);
  }
  fc_x86_cpu(cpu, id, leaf1, leaf7);
}
