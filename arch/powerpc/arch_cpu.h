/* SPDX-License-Identifier: MIT */
/* The pure half of PowerPC detection: from what the kernel and the probe say to features. Tested with recorded CPUs. */
#ifndef FC_POWERPC_CPU_H
#define FC_POWERPC_CPU_H

#include "dispatch/cpu.h"

#pragma GCC visibility push(hidden)

/*
 * pvr: the processor version register, 0 where it is not known. dcbz_bytes: what dcbz clears, 0 where it was not
 * tried or did not behave.
 */
void fc_powerpc_cpu(struct fc_cpu *cpu, uint32_t pvr, unsigned long hwcap, unsigned long hwcap2, unsigned dcbz_bytes);

/* The upper half of the PVR: the core without its revision. */
#define FC_PVR_VERSION(id) ((id) >> 16)

#pragma GCC visibility pop

#endif
