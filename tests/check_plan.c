/* SPDX-License-Identifier: MIT */
/*
 * The choice: what fc_plan_make() makes of recorded CPUs, of tables that name anything at all, and of the
 * environment. Whatever comes in, the plan names variants that the CPU runs and numbers within their bounds.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "cpus/cpus.h"
#include "dispatch/plan.h"

static const struct fc_env nobody_asks = {0};
static const struct fc_table_entry no_entry = {0};

/* A plan from any source must be one that the CPU can follow. */
static void check_legal(const struct fc_plan *plan, const struct fc_cpu *cpu, const char *what) {
  CHECK(fc_variant_usable(plan->memcpy_variant, cpu) && fc_variant_usable(plan->memmove_variant, cpu),
        "%s: the plan has variants %u and %u, which the CPU cannot run", what, plan->memcpy_variant,
        plan->memmove_variant);
  CHECK(plan->reason < FC_REASON_COUNT && strcmp(fc_reason_text(plan->reason), "unknown reason") != 0,
        "%s: reason %u has no text", what, plan->reason);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    const struct fc_param *param = &fc_params[i];
    CHECK(plan->params[i] >= param->lowest && plan->params[i] <= param->highest, "%s: %s = %zu is out of bounds", what,
          param->name, plan->params[i]);
    CHECK((param->features & ~cpu->features) == 0 || plan->params[i] == param->initial,
          "%s: %s = %zu, but the CPU lacks its features", what, param->name, plan->params[i]);
  }
}

/* The rows themselves. */
static void check_registry(void) {
  CHECK(fc_variants[FC_BASELINE].features == 0, "the baseline variant needs features");
  CHECK(!(fc_variants[FC_BASELINE].traits & FC_MEASURED), "the baseline is not open to the built-in rules");
  CHECK(FC_PARAM_COUNT <= FC_TABLE_PARAMS, "there are more parameters than places in a table");
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    CHECK(fc_variant_find(fc_variants[i].name) == i, "variant %s is not found by its name", fc_variants[i].name);
    CHECK(strlen(fc_variants[i].name) < FC_NAME_BYTES - 1, "the name of variant %s does not fit into a table",
          fc_variants[i].name);
    uint64_t features = 0;
    for (const char *word = fc_variants[i].needs; *word != '\0'; word += strspn(word, ", "))
      features |= fc_feature_find(word, strcspn(word, ", ")), word += strcspn(word, ", ");
    CHECK(features == fc_variants[i].features, "variant %s: the features in words differ from those in bits",
          fc_variants[i].name);
  }
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    CHECK(fc_params[i].lowest <= fc_params[i].initial && fc_params[i].initial <= fc_params[i].highest,
          "%s: initial value out of bounds", fc_params[i].name);
  const char *const strangers[] = {"", " ", "nonesuch", "sse", "sse22", "SSE2", "avx2 ", ",", "avx512_masked_"};
  for (unsigned i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
    CHECK(fc_variant_find(strangers[i]) == FC_VARIANT_COUNT, "a variant is found by the name '%s'", strangers[i]);
  CHECK(!fc_variant_usable(FC_VARIANT_COUNT, &(struct fc_cpu){.features = ~0ull}), "a variant past the last is usable");
}

static void check_builtin(const struct recorded_cpu *recorded) {
  struct fc_plan plan;
  for (unsigned status = FC_TABLE_NOT_ASKED; status < FC_TABLE_STATUS_COUNT; status++) {
    fc_plan_make(&plan, &recorded->cpu, (enum fc_table_status)status, &no_entry, &nobody_asks);
    check_legal(&plan, &recorded->cpu, recorded->name);
    CHECK(strcmp(fc_variants[plan.memcpy_variant].name, recorded->variant) == 0 &&
              plan.memmove_variant == plan.memcpy_variant,
          "%s: the rules choose %s and %s, not %s", recorded->name, fc_variants[plan.memcpy_variant].name,
          fc_variants[plan.memmove_variant].name, recorded->variant);
    CHECK(plan.source == FC_SOURCE_BUILTIN && plan.reason == status, "%s: source %u, reason %u, status %u",
          recorded->name, plan.source, plan.reason, status);
    for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
      CHECK(plan.params[i] == recorded->params[i], "%s: the rules set %s to %zu, not %zu", recorded->name,
            fc_params[i].name, plan.params[i], recorded->params[i]);
  }
}

static struct fc_table_entry make_entry(const char *for_memcpy, const char *for_memmove) {
  struct fc_table_entry entry = {.param_count = FC_PARAM_COUNT};
  check_set_text(entry.memcpy_variant, sizeof entry.memcpy_variant, for_memcpy);
  check_set_text(entry.memmove_variant, sizeof entry.memmove_variant, for_memmove);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    entry.params[i] = fc_params[i].initial;
  return entry;
}

static void same_as_builtin(const struct fc_plan *plan, const struct recorded_cpu *recorded, const char *what) {
  CHECK(strcmp(fc_variants[plan->memcpy_variant].name, recorded->variant) == 0 &&
            plan->memmove_variant == plan->memcpy_variant && plan->source == FC_SOURCE_BUILTIN,
        "%s: %s: the plan is not the built-in one", recorded->name, what);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    CHECK(plan->params[i] == recorded->params[i], "%s: %s: %s is %zu, not the rules' %zu", recorded->name, what,
          fc_params[i].name, plan->params[i], recorded->params[i]);
}

/* F12: a table may name any variant, for either function. */
static void check_tables(const struct recorded_cpu *recorded) {
  const struct fc_cpu *cpu = &recorded->cpu;
  struct fc_plan plan;
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    for (unsigned k = 0; k < FC_VARIANT_COUNT; k++) {
      struct fc_table_entry entry = make_entry(fc_variants[i].name, fc_variants[k].name);
      fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &entry, &nobody_asks);
      check_legal(&plan, cpu, recorded->name);
      if (fc_variant_usable(i, cpu) && fc_variant_usable(k, cpu)) {
        CHECK(plan.memcpy_variant == i && plan.memmove_variant == k && plan.source == FC_SOURCE_TABLE &&
                  plan.reason == FC_TABLE_MATCH,
              "%s: a table's choice of %s and %s is not followed", recorded->name, entry.memcpy_variant,
              entry.memmove_variant);
      } else {
        same_as_builtin(&plan, recorded, "table with a variant that the CPU lacks");
        CHECK(plan.reason == FC_REASON_TABLE_UNUSABLE, "%s: the reason is not that the table is unusable",
              recorded->name);
      }
    }
    struct fc_table_entry half = make_entry(fc_variants[i].name, "nonesuch");
    fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &half, &nobody_asks);
    same_as_builtin(&plan, recorded, "table with an unknown variant for memmove");
    half = make_entry("", fc_variants[i].name);
    fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &half, &nobody_asks);
    same_as_builtin(&plan, recorded, "table with an empty name for memcpy");
  }
  /* a name that fills its field without an end in it: the reader cuts it */
  struct fc_table_entry full = make_entry(fc_variants[FC_BASELINE].name, fc_variants[FC_BASELINE].name);
  memset(full.memcpy_variant, 'x', sizeof full.memcpy_variant - 1);
  fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &full, &nobody_asks);
  same_as_builtin(&plan, recorded, "table with a name of full length");
}

/* C4, C5, F12: numbers of any size. */
static void check_numbers(const struct recorded_cpu *recorded) {
  const struct fc_cpu *cpu = &recorded->cpu;
  const uint64_t numbers[] = {0,
                              1,
                              2,
                              63,
                              64,
                              65,
                              255,
                              256,
                              257,
                              4095,
                              4096,
                              4097,
                              0x3fff,
                              0x4000,
                              0x4001,
                              1ull << 31,
                              1ull << 32,
                              1ull << 40,
                              1ull << 63,
                              UINT64_MAX,
                              (1ull << 32) - 1,
                              (1ull << 32) + 256,
                              UINT64_MAX - 1};
  struct fc_plan plan;
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    const struct fc_param *param = &fc_params[i];
    for (unsigned k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      struct fc_table_entry entry = make_entry(fc_variants[FC_BASELINE].name, fc_variants[FC_BASELINE].name);
      entry.params[i] = numbers[k];
      fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &entry, &nobody_asks);
      check_legal(&plan, cpu, recorded->name);
      size_t expected = numbers[k] > SIZE_MAX ? SIZE_MAX : (size_t)numbers[k];
      if ((param->features & ~cpu->features) != 0)
        expected = param->initial;
      else if (expected < param->lowest)
        expected = param->lowest;
      else if (expected > param->highest)
        expected = param->highest;
      CHECK(plan.params[i] == expected, "%s: %s = %llu of a table becomes %zu, not %zu", recorded->name, param->name,
            (unsigned long long)numbers[k], plan.params[i], expected);
      for (unsigned other = 0; other < FC_PARAM_COUNT; other++)
        CHECK(other == i || plan.params[other] == fc_params[other].initial, "%s: %s changes with %s", recorded->name,
              fc_params[other].name, param->name);
    }
  }
  /* a table of an older or a newer version: what it lacks is the rules', what it has too much is not read */
  for (unsigned count = 0; count <= FC_TABLE_PARAMS + 2; count++) {
    struct fc_table_entry entry = make_entry(fc_variants[FC_BASELINE].name, fc_variants[FC_BASELINE].name);
    entry.param_count = count == FC_TABLE_PARAMS + 2 ? UINT32_MAX : count;
    for (unsigned i = 0; i < FC_TABLE_PARAMS; i++)
      entry.params[i] = i < FC_PARAM_COUNT ? fc_params[i].lowest : UINT64_MAX;
    fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &entry, &nobody_asks);
    for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
      size_t expected = i < count ? fc_params[i].lowest : recorded->params[i];
      if ((fc_params[i].features & ~cpu->features) != 0)
        expected = fc_params[i].initial;
      CHECK(plan.params[i] == expected, "%s: with %u parameters in the table %s is %zu, not %zu", recorded->name, count,
            fc_params[i].name, plan.params[i], expected);
    }
  }
}

static void check_environment(const struct recorded_cpu *recorded) {
  const struct fc_cpu *cpu = &recorded->cpu;
  struct fc_table_entry entry = make_entry(fc_variants[FC_BASELINE].name, fc_variants[FC_BASELINE].name);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++)
    entry.params[i] = fc_params[i].highest;
  struct fc_plan plan, with_table;
  fc_plan_make(&with_table, cpu, FC_TABLE_MATCH, &entry, &nobody_asks);

  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    struct fc_env env = {.variant = fc_variants[i].name};
    for (unsigned status = 0; status < FC_TABLE_STATUS_COUNT; status++) {
      fc_plan_make(&plan, cpu, (enum fc_table_status)status, &entry, &env);
      check_legal(&plan, cpu, recorded->name);
      if (fc_variant_usable(i, cpu)) {
        CHECK(plan.memcpy_variant == i && plan.memmove_variant == i && plan.source == FC_SOURCE_ENVIRONMENT &&
                  plan.reason == FC_REASON_VARIANT_FORCED && !fc_entry_small(plan.params),
              "%s: FASTCOPY_VARIANT=%s is not followed", recorded->name, env.variant);
      } else {
        CHECK(plan.reason == FC_REASON_VARIANT_REFUSED && plan.source != FC_SOURCE_ENVIRONMENT,
              "%s: FASTCOPY_VARIANT=%s is not refused", recorded->name, env.variant);
      }
    }
  }
  const char *const strangers[] = {"nonesuch", "", "sse2,avx2", "SSE2", "table", "all"};
  for (unsigned i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
    struct fc_env env = {.variant = strangers[i]};
    fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &entry, &env);
    CHECK(plan.reason == FC_REASON_VARIANT_REFUSED && plan.source == FC_SOURCE_TABLE &&
              plan.memcpy_variant == with_table.memcpy_variant &&
              memcmp(plan.params, with_table.params, sizeof plan.params) == 0,
          "%s: FASTCOPY_VARIANT=%s changes the table's plan", recorded->name, env.variant);
  }
  const char *const lists[] = {"table", "avx2,table", "table,", ",table", "nonesuch,table,avx"};
  for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    struct fc_env env = {.disable = lists[i]};
    fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &entry, &env);
    same_as_builtin(&plan, recorded, "FASTCOPY_DISABLE with table in it");
    CHECK(plan.reason == FC_REASON_TABLE_DISABLED, "%s: FASTCOPY_DISABLE=%s: reason %u", recorded->name, lists[i],
          plan.reason);
  }
  struct fc_env env = {.disable = "tables,tabl,stable"};
  fc_plan_make(&plan, cpu, FC_TABLE_MATCH, &entry, &env);
  CHECK(plan.source == FC_SOURCE_TABLE, "%s: FASTCOPY_DISABLE=%s disables the table", recorded->name, env.disable);
}

/* Features taken away one by one, and all at once. */
static void check_disabled(const struct recorded_cpu *recorded) {
  struct fc_plan plan;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    struct fc_cpu less = recorded->cpu;
    less.features &= ~fc_env_disabled(fc_feature_names[i].name);
    CHECK(!(less.features >> i & 1), "FASTCOPY_DISABLE=%s does not take it away", fc_feature_names[i].name);
    fc_plan_make(&plan, &less, FC_TABLE_ABSENT, &no_entry, &nobody_asks);
    check_legal(&plan, &less, recorded->name);
  }
  struct fc_cpu none = recorded->cpu;
  none.features &= ~fc_env_disabled("all");
  CHECK(none.features == 0, "FASTCOPY_DISABLE=all leaves features");
  fc_plan_make(&plan, &none, FC_TABLE_ABSENT, &no_entry, &nobody_asks);
  check_legal(&plan, &none, recorded->name);
  CHECK(plan.memcpy_variant == FC_BASELINE, "%s: FASTCOPY_DISABLE=all does not lead to the baseline", recorded->name);
}

/* Anything at all. */
static void check_anything(void) {
  for (unsigned i = 0; i < 200000; i++) {
    struct fc_cpu cpu = {.arch = FC_ARCH_THIS, .id = (uint32_t)check_random(), .features = check_random()};
    const char *names[3];
    for (unsigned k = 0; k < 3; k++) {
      unsigned which = (unsigned)check_below(FC_VARIANT_COUNT + 2);
      names[k] = which < FC_VARIANT_COUNT ? fc_variants[which].name : which == FC_VARIANT_COUNT ? "" : "nonesuch";
    }
    struct fc_table_entry entry = make_entry(names[0], names[1]);
    for (unsigned k = 0; k < FC_TABLE_PARAMS; k++)
      entry.params[k] = check_random() >> check_below(64);
    entry.param_count = (uint32_t)(check_random() >> check_below(64));
    struct fc_env env = {.variant = check_random() & 1 ? names[2] : NULL,
                         .disable = check_random() & 7 ? NULL : "table",
                         .verbose = check_random() & 1};
    struct fc_plan plan;
    fc_plan_make(&plan, &cpu, (enum fc_table_status)check_below(FC_TABLE_STATUS_COUNT), &entry, &env);
    check_legal(&plan, &cpu, "anything");
  }
}

int main(int argc, char **argv) {
  check_begin(argc, argv);
  check_registry();
  unsigned count = 0;
  for (const struct recorded_cpu *recorded; (recorded = recorded_cpu(count)) != NULL; count++) {
    check_builtin(recorded);
    check_tables(recorded);
    check_numbers(recorded);
    check_environment(recorded);
    check_disabled(recorded);
  }
  printf("%u recorded CPUs\n", count);
  check_anything();
  for (unsigned i = 0; i < FC_REASON_COUNT; i++) {
    for (unsigned k = 0; k < i; k++)
      CHECK(strcmp(fc_reason_text(i), fc_reason_text(k)) != 0, "reasons %u and %u have one text", i, k);
  }
  return check_end();
}
