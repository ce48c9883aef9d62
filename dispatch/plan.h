/* SPDX-License-Identifier: MIT */
/* The choice: a pure function of the CPU, the table's entry for it and the environment. */
#ifndef FC_PLAN_H
#define FC_PLAN_H

#include "arch/variant.h"
#include "dispatch/startup.h"
#include "dispatch/table.h"

#pragma GCC visibility push(hidden)

enum fc_source { FC_SOURCE_BUILTIN, FC_SOURCE_TABLE, FC_SOURCE_ENVIRONMENT };

enum fc_reason {
  /* the first ones mirror enum fc_table_status: what became of the table */
  FC_REASON_TABLE_LAST = FC_TABLE_STATUS_COUNT - 1,
  FC_REASON_TABLE_UNUSABLE,  /* an entry for this CPU, but its variants are unknown or not usable here */
  FC_REASON_TABLE_DISABLED,  /* FASTCOPY_DISABLE=table */
  FC_REASON_VARIANT_FORCED,  /* FASTCOPY_VARIANT */
  FC_REASON_VARIANT_REFUSED, /* FASTCOPY_VARIANT names none, or one that this CPU cannot run */
  FC_REASON_COUNT
};

struct fc_plan {
  unsigned memcpy_variant; /* index into fc_variants */
  unsigned memmove_variant;
  enum fc_source source;
  unsigned reason; /* enum fc_reason, or an enum fc_table_status */
  size_t params[FC_PARAM_COUNT];
};

/* One phrase for a reason; no pointers are read to find it. */
const char *fc_reason_text(unsigned reason);
const char *fc_source_text(enum fc_source source);

/* The variant of that name, or FC_VARIANT_COUNT. */
unsigned fc_variant_find(const char *name);
int fc_variant_usable(unsigned variant, const struct fc_cpu *cpu);

/*
 * cpu: with the features of FASTCOPY_DISABLE already taken away. entry: what the table holds for it, read
 * only when status is FC_TABLE_MATCH. The result names only variants that cpu can run, and only parameters within their bounds.
 */
void fc_plan_make(struct fc_plan *plan, const struct fc_cpu *cpu, enum fc_table_status status,
                  const struct fc_table_entry *entry, const struct fc_env *env);

/* The plan in force and how it came about: published by the resolver, read-only afterwards. */
struct fc_report {
  int published;
  struct fc_plan plan;
  struct fc_cpu cpu;
  char table[256]; /* path that was looked for, cut to fit */
};
extern struct fc_report fc_report;

/*
 * Reads everything anew and fills *report with the plan that this process gets; touches nothing else.
 * may_speak: write the line that FASTCOPY_VERBOSE asks for.
 */
void fc_plan_of_process(struct fc_report *report, int may_speak);

#pragma GCC visibility pop

#endif
