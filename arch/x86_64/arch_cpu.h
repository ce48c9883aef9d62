/* SPDX-License-Identifier: MIT */
/* The pure half of x86 detection: from CPUID words to features. Tested with recorded CPUs. */
#ifndef FC_X86_CPU_H
#define FC_X86_CPU_H

#include "dispatch/cpu.h"

#pragma GCC visibility push(hidden)

/* Words in the order EAX, EBX, ECX, EDX. */

/* Takes away the features whose registers the operating system does not save. xcr0: 0 where OSXSAVE is clear. */
void fc_x86_mask_xcr0(unsigned leaf1[4], unsigned leaf7[4], unsigned xcr0);

/* id: leaf 1 EAX, unmasked. The leaves hold what is usable. */
void fc_x86_cpu(struct fc_cpu *cpu, unsigned id, const unsigned leaf1[4], const unsigned leaf7[4]);

/* Family and model as the manuals count them, with what is extended. */
unsigned fc_x86_family(unsigned id);
unsigned fc_x86_model(unsigned id);

#pragma GCC visibility pop

#endif
