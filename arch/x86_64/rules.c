/* SPDX-License-Identifier: MIT */
/*
 * The built-in rules of x86_64, for a machine that was never measured: what the C library would do, less its
 * known mistakes. The reported cache sizes are not asked: hypervisors report zero, and 500 MB.
 * Early code: no absolute relocation, no call outside.
 */
#include "arch/variant.h"
#include "arch_cpu.h"

/*
 * Zen and Zen+, family 17h below model 30h, their first copies by Hygon, family 18h below model 4, and the Bulldozer family,
 * 15h, store 32 bytes as two times 16: loops of 16-byte vectors leave less to be copied twice.
 */
static int stores_halves(uint32_t id) {
  unsigned family = fc_x86_family(id), model = fc_x86_model(id);
  return family == 0x15 || (family == 0x17 && model < 0x30) || (family == 0x18 && model < 4);
}

uint32_t fc_builtin_avoid(const struct fc_cpu *cpu) {
  /* a copy inside a memory transaction must not abort it */
  return (cpu->features & FC_BIT(rtm) ? FC_VZEROUPPER : 0) | (stores_halves(cpu->id) ? FC_WIDE : 0);
}

void fc_builtin_params(const struct fc_cpu *cpu, size_t params[FC_PARAM_COUNT]) {
  /*
   * rep movsb: on Intel from where its start-up cost is paid, and not for the distances that it is known to be
   * slow at. Never on AMD, where it is slow for some alignments on Zen 3 and 4, and in microcode before.
   */
  if (fc_x86_family(cpu->id) == 6 && (cpu->features & FC_BIT(erms))) {
    params[FC_PARAM_rep_movsb_min] = 4096;
    params[FC_PARAM_rep_movsb_max] = params[FC_PARAM_non_temporal_min];
    params[FC_PARAM_rep_movsb_skew] = 64;
  }
}

/* x86 has no rule that depends on what the memory is. */
void fc_env_params(const struct fc_env *env, size_t params[FC_PARAM_COUNT]) {
  (void)env;
  (void)params;
}

int fc_entry_small(const size_t params[FC_PARAM_COUNT]) {
  return params[FC_PARAM_masked_below] != 0 || params[FC_PARAM_exact_small] != 0;
}

void fc_entry_small_off(size_t params[FC_PARAM_COUNT]) {
  params[FC_PARAM_masked_below] = 0;
  params[FC_PARAM_exact_small] = 0;
}
