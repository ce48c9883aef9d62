/* SPDX-License-Identifier: MIT */
/*
 * The built-in rules of PowerPC, for a machine that was never measured. dcbz on memory that is not cacheable is an
 * alignment interrupt and shows a device zeros, so rows that execute it are for measured machines; the exceptions
 * are the cores below, which drive no display whose memory a program could copy into, and gain most.
 * Early code: no absolute relocation, no call outside.
 */
#include "arch/variant.h"
#include "arch_cpu.h"

/* PVR versions */
#define PVR_603 0x0003u
#define PVR_603E 0x0006u
#define PVR_603E7 0x0007u
#define PVR_8240 0x0081u
#define PVR_G2LE 0x0082u
#define PVR_E300C1 0x0083u
#define PVR_E300C2 0x0084u
#define PVR_E300C3 0x0085u
#define PVR_E300C4 0x0086u

static int dcbz_allowed(uint32_t id) {
  unsigned version = FC_PVR_VERSION(id);
  return version == PVR_E300C2 || version == PVR_E300C3;
}

uint32_t fc_builtin_avoid(const struct fc_cpu *cpu) { return dcbz_allowed(cpu->id) ? 0 : FC_DCBZ; }

void fc_builtin_params(const struct fc_cpu *cpu, size_t params[FC_PARAM_COUNT]) {
  unsigned version = FC_PVR_VERSION(cpu->id);
  /*
   * The 603 and what descends from it hold one dcbt; a second one waits for it. Or, as the manuals can be read, it
   * throws away a line that nobody has asked for yet: the next line, and no further, is right under both readings.
   */
  if (version == PVR_603 || version == PVR_603E || version == PVR_603E7 ||
      (version >= PVR_8240 && version <= PVR_E300C4)) {
    params[FC_PARAM_dcbt_ahead] = 1;
    params[FC_PARAM_touch_buffers] = 1;
  }
}

void fc_env_params(const struct fc_env *env, size_t params[FC_PARAM_COUNT]) {
  if (env->cacheable != FC_UNSAID)
    params[FC_PARAM_cacheable] = env->cacheable == FC_PROMISED;
}

/* The entries have no small-size path of their own. */
int fc_entry_small(const size_t params[FC_PARAM_COUNT]) {
  (void)params;
  return 0;
}

void fc_entry_small_off(size_t params[FC_PARAM_COUNT]) { (void)params; }
