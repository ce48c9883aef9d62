/* SPDX-License-Identifier: MIT */
/* The public functions that answer questions. They call nothing of the C library. */
#include "lib/fastcopy.h"

#include "arch/variant.h"
#include "dispatch/plan.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *fastcopy_version(void) { return FASTCOPY_VERSION_STRING; }

/* Made on first use from constants and from the report, always with the same result: racing callers do no harm. */
static struct fastcopy_parameter parameters[FC_PARAM_COUNT];
static char features[FC_FEATURE_COUNT * (sizeof(struct fc_feature_name) + 2)];

static void list_features(uint64_t set) {
  size_t at = 0;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++, set >>= 1) {
    if (!(set & 1))
      continue;
    if (at != 0) {
      features[at++] = ',';
      features[at++] = ' ';
    }
    for (const char *c = fc_feature_names[i].name; *c != '\0'; c++)
      features[at++] = *c;
  }
}

EXPORT int fastcopy_describe(struct fastcopy_plan *plan) {
  if (plan == NULL || plan->size < sizeof *plan)
    return -1;
  const struct fc_report *report = &fc_report;
  list_features(report->cpu.features);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    parameters[i].name = fc_params[i].name;
    parameters[i].doc = fc_params[i].doc;
    parameters[i].value = fc_live.params[i];
  }
  plan->memcpy_variant = fc_variants[report->plan.memcpy_variant].name;
  plan->memmove_variant = fc_variants[report->plan.memmove_variant].name;
  plan->source = fc_source_text(report->plan.source);
  plan->reason = fc_reason_text(report->plan.reason);
  plan->table = report->table;
  plan->features = features;
  plan->cpu = report->cpu.id;
  plan->feature_hash = fc_feature_hash(report->cpu.features);
  plan->parameters = parameters;
  plan->parameter_count = FC_PARAM_COUNT;
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
