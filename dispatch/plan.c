/* SPDX-License-Identifier: MIT */
/*
 * The choice, in order of authority: FASTCOPY_VARIANT, the table's entry, the built-in rules. Nothing that
 * this CPU cannot run gets past fc_variant_usable(), whoever asked for it.
 * Early code: no absolute relocation, no call outside.
 */
#include "dispatch/plan.h"

const char *fc_reason_text(unsigned reason) {
  /* ifs, since a compiler may turn a switch into a table of pointers, and -fno-jump-tables does not forbid that */
  if (reason == FC_TABLE_MATCH)
    return "the table has an entry for this CPU";
  if (reason == FC_TABLE_NOT_ASKED)
    return "no table was looked for: the process start data was not found";
  if (reason == FC_TABLE_ABSENT)
    return "there is no tuning table";
  if (reason == FC_TABLE_UNREADABLE)
    return "the tuning table cannot be read";
  if (reason == FC_TABLE_UNTRUSTED)
    return "privileged process, and the tuning table or its folder can be written by others than root";
  if (reason == FC_TABLE_BAD_MAGIC)
    return "the file is not a tuning table";
  if (reason == FC_TABLE_BAD_VERSION)
    return "the tuning table has a version that this library does not know";
  if (reason == FC_TABLE_BAD_LENGTH)
    return "the tuning table is truncated or its sizes are out of bounds";
  if (reason == FC_TABLE_BAD_CRC)
    return "the tuning table is damaged: its checksum does not fit";
  if (reason == FC_TABLE_NO_ENTRY)
    return "the tuning table has no entry for this CPU and feature set";
  if (reason == FC_REASON_TABLE_UNUSABLE)
    return "the tuning table names variants that this CPU or this version does not have";
  if (reason == FC_REASON_TABLE_DISABLED)
    return "FASTCOPY_DISABLE has the word table";
  if (reason == FC_REASON_VARIANT_FORCED)
    return "FASTCOPY_VARIANT names it";
  if (reason == FC_REASON_VARIANT_REFUSED)
    return "FASTCOPY_VARIANT names no variant that this CPU can run, so it was ignored";
  return "unknown reason";
}

const char *fc_source_text(enum fc_source source) {
  if (source == FC_SOURCE_TABLE)
    return "table";
  if (source == FC_SOURCE_ENVIRONMENT)
    return "environment";
  return "built-in";
}

unsigned fc_variant_find(const char *name) {
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    const char *known = fc_variants[i].name;
    unsigned at = 0;
    while (known[at] != '\0' && known[at] == name[at])
      at++;
    if (known[at] == '\0' && name[at] == '\0')
      return i;
  }
  return FC_VARIANT_COUNT;
}

int fc_variant_usable(unsigned variant, const struct fc_cpu *cpu) {
  return variant < FC_VARIANT_COUNT && (fc_variants[variant].features & ~cpu->features) == 0;
}

static unsigned builtin_variant(const struct fc_cpu *cpu) {
  uint32_t avoid = fc_builtin_avoid(cpu) | FC_MEASURED;
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    if (fc_variant_usable(i, cpu) && !(fc_variants[i].traits & avoid))
      return i;
  }
  return FC_BASELINE;
}

/* Makes every number legal on this CPU, whoever set it. */
static void clamp_params(size_t params[FC_PARAM_COUNT], const struct fc_cpu *cpu) {
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    const struct fc_param *param = &fc_params[i];
    if ((param->features & ~cpu->features) != 0)
      params[i] = param->initial;
    if (params[i] < param->lowest)
      params[i] = param->lowest;
    if (params[i] > param->highest)
      params[i] = param->highest;
  }
}

/* Returns whether the entry was taken; a param that it lacks keeps the built-in value. */
static int take_entry(struct fc_plan *plan, const struct fc_cpu *cpu, const struct fc_table_entry *entry) {
  unsigned for_memcpy = fc_variant_find(entry->memcpy_variant);
  unsigned for_memmove = fc_variant_find(entry->memmove_variant);
  if (!fc_variant_usable(for_memcpy, cpu) || !fc_variant_usable(for_memmove, cpu))
    return 0;
  plan->memcpy_variant = for_memcpy;
  plan->memmove_variant = for_memmove;
  for (unsigned i = 0; i < FC_PARAM_COUNT && i < FC_TABLE_PARAMS && i < entry->param_count; i++) {
    uint64_t value = entry->params[i];
    plan->params[i] = value > SIZE_MAX ? SIZE_MAX : (size_t)value;
  }
  return 1;
}

void fc_plan_make(struct fc_plan *plan, const struct fc_cpu *cpu, enum fc_table_status status,
                  const struct fc_table_entry *entry, const struct fc_env *env) {
  plan->memcpy_variant = plan->memmove_variant = builtin_variant(cpu);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    plan->params[i] = fc_params[i].initial;
  fc_builtin_params(cpu, plan->params);
  plan->source = FC_SOURCE_BUILTIN;
  plan->reason = status;

  if (fc_list_has(env->disable, "table")) {
    plan->reason = FC_REASON_TABLE_DISABLED;
  } else if (status == FC_TABLE_MATCH) {
    if (take_entry(plan, cpu, entry))
      plan->source = FC_SOURCE_TABLE;
    else
      plan->reason = FC_REASON_TABLE_UNUSABLE;
  }

  if (env->variant != NULL) {
    unsigned forced = fc_variant_find(env->variant);
    if (fc_variant_usable(forced, cpu)) {
      plan->memcpy_variant = plan->memmove_variant = forced;
      plan->source = FC_SOURCE_ENVIRONMENT;
      plan->reason = FC_REASON_VARIANT_FORCED;
      /* the entry's own small path would hide the variant that was asked for */
      fc_entry_small_off(plan->params);
    } else {
      plan->reason = FC_REASON_VARIANT_REFUSED;
    }
  }
  fc_env_params(env, plan->params);
  clamp_params(plan->params, cpu);
}
