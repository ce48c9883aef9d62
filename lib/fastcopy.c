/* SPDX-License-Identifier: MIT */
/* The public functions that answer questions. They call nothing of the C library. */
#include "lib/fastcopy.h"

#include "arch/variant.h"
#include "dispatch/plan.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *fastcopy_version(void) { return FASTCOPY_VERSION_STRING; }

_Static_assert(FC_PARAM_COUNT <= FASTCOPY_PARAMETERS, "struct fastcopy_plan has no room for the parameters");
_Static_assert(sizeof((struct fastcopy_plan){0}.features) > FC_FEATURE_COUNT * (sizeof(struct fc_feature_name) + 2),
               "struct fastcopy_plan has no room for the names of the features");

static void list_features(char *text, uint64_t set) {
  size_t at = 0;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    if (!(set >> i & 1))
      continue;
    if (at != 0) {
      text[at++] = ',';
      text[at++] = ' ';
    }
    for (const char *c = fc_feature_names[i].name; *c != '\0'; c++)
      text[at++] = *c;
  }
  text[at] = '\0';
}

EXPORT int fastcopy_describe(struct fastcopy_plan *plan) {
  if (plan == NULL || plan->size < sizeof *plan)
    return -1;
  const struct fc_report *report = &fc_report;
  list_features(plan->features, report->cpu.features);
  plan->parameter_count = FC_PARAM_COUNT;
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    plan->parameters[i].name = fc_params[i].name;
    plan->parameters[i].doc = fc_params[i].doc;
    plan->parameters[i].value = fc_live.params[i];
  }
  plan->memcpy_variant = fc_variants[report->plan.memcpy_variant].name;
  plan->memmove_variant = fc_variants[report->plan.memmove_variant].name;
  plan->source = fc_source_text(report->plan.source);
  plan->reason = fc_reason_text(report->plan.reason);
  plan->table = report->table;
  plan->cpu = report->cpu.id;
  plan->feature_hash = fc_feature_hash(report->cpu.features);
  return 0;
}

EXPORT int fastcopy_variants(size_t index, struct fastcopy_variant *variant) {
  if (variant == NULL || variant->size < sizeof *variant || index >= FC_VARIANT_COUNT)
    return -1;
  variant->name = fc_variants[index].name;
  variant->needs = fc_variants[index].needs;
  variant->usable = fc_variant_usable((unsigned)index, &fc_report.cpu);
  variant->measured_only = (fc_variants[index].traits & FC_MEASURED) != 0;
  variant->memmove = fc_variant_function((unsigned)index);
  return 0;
}
