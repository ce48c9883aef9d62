/* SPDX-License-Identifier: MIT */
/*
 * Features of a PowerPC CPU. The capability words come from the auxiliary vector, never from the resolver's
 * argument: that lacks AT_HWCAP2, and a 32-bit loader passes none. What dcbz clears is found by trying it, since
 * the reported line size is wrong on some systems.
 *
 * The identity is the processor version register. Reading it is privileged, but Linux emulates the instruction
 * for programs (and qemu allows it), on 32 and 64 bits; it is one trap. Valgrind would end the process, so it is
 * asked first whether it runs this, by instructions that do nothing elsewhere; there the identity is 0.
 * The auxiliary vector's platform names are no substitute: "ppc603" stands for twenty cores.
 *
 * Early code: no absolute relocation, no call outside.
 */
#include "arch/variant.h"
#include "arch_cpu.h"

static int under_valgrind(void) {
  /* request 0x1001 with five empty arguments; the answer is what r3 held unless Valgrind put another there */
  unsigned long request[6];
  volatile unsigned long *fill = request;
  fill[0] = 0x1001;
  for (unsigned i = 1; i < 6; i++)
    fill[i] = 0;
  register unsigned long answer __asm__("r3") = 0;
  register const unsigned long *arguments __asm__("r4") = request;
#ifdef __powerpc64__
  __asm__ volatile("rotldi 0, 0, 3\n\t"
                   "rotldi 0, 0, 13\n\t"
                   "rotldi 0, 0, 61\n\t"
                   "rotldi 0, 0, 51\n\t"
                   "or 1, 1, 1\n\t"
                   "or 2, 2, 2" /* SMT cores take the one before for a low priority, this for the usual one */
                   : "+r"(answer)
                   : "r"(arguments)
                   : "cc", "memory");
#else
  __asm__ volatile("rlwinm 0, 0, 3, 0, 31\n\t"
                   "rlwinm 0, 0, 13, 0, 31\n\t"
                   "rlwinm 0, 0, 29, 0, 31\n\t"
                   "rlwinm 0, 0, 19, 0, 31\n\t"
                   "or 1, 1, 1\n\t"
                   "or 2, 2, 2" /* SMT cores take the one before for a low priority, this for the usual one */
                   : "+r"(answer)
                   : "r"(arguments)
                   : "cc", "memory");
#endif
  return answer != 0;
}

static uint32_t read_pvr(void) {
  unsigned long pvr;
  if (under_valgrind())
    return 0;
  __asm__ volatile("mfspr %0, 287" : "=r"(pvr));
  return (uint32_t)pvr;
}

#define ROOM 256 /* twice the largest line that any variant is built for */

/* Bytes that dcbz clears: 32, 64 or 128, and 0 for any other behaviour. The stack is private and cacheable memory. */
static unsigned probe_dcbz(void) {
  unsigned char scratch[2 * ROOM];
  unsigned char *middle = scratch + (-(uintptr_t)scratch & (ROOM - 1));
  volatile unsigned long *word = (volatile unsigned long *)middle;
  unsigned cleared = 0;
  for (unsigned i = 0; i < ROOM / sizeof *word; i++)
    word[i] = ~0ul;
  __asm__ volatile("dcbz 0, %0" : : "r"(middle) : "memory");
  while (cleared < ROOM / sizeof *word && word[cleared] == 0)
    cleared++;
  for (unsigned i = cleared; i < ROOM / sizeof *word; i++) {
    if (word[i] != ~0ul)
      return 0;
  }
  cleared *= sizeof *word;
  return cleared == 32 || cleared == 64 || cleared == 128 ? cleared : 0;
}

void fc_powerpc_cpu(struct fc_cpu *cpu, uint32_t pvr, unsigned long hwcap, unsigned long hwcap2, unsigned dcbz_bytes) {
  const unsigned long HWCAP = hwcap, HWCAP2 = hwcap2, NONE = 0;
  cpu->arch = FC_ARCH_THIS;
  cpu->id = pvr;
  cpu->features = 0;
#define FC_FEATURE(name, word, mask) \
  if ((word & (mask)) != 0)          \
    cpu->features |= FC_BIT(name);
#include "features.def"
#undef FC_FEATURE
  if (dcbz_bytes == 32)
    cpu->features |= FC_BIT(dcbz) | FC_BIT(dcbz32);
  if (dcbz_bytes == 64)
    cpu->features |= FC_BIT(dcbz) | FC_BIT(dcbz64);
  if (dcbz_bytes == 128)
    cpu->features |= FC_BIT(dcbz) | FC_BIT(dcbz128);
}

void fc_cpu_detect(struct fc_cpu *cpu, const struct fc_startup *startup) {
  /* whoever disables dcbz, or says that memory is not cacheable, wants it executed nowhere, this probe included */
  struct fc_env env;
  fc_env_read(&env, startup);
  unsigned dcbz_bytes = 0;
  if (startup->found && !(fc_env_disabled(env.disable) & FC_BIT(dcbz)) && env.cacheable != FC_DENIED)
    dcbz_bytes = probe_dcbz();
  fc_powerpc_cpu(cpu, read_pvr(), startup->hwcap, startup->hwcap2, dcbz_bytes);
}
