/* SPDX-License-Identifier: MIT */
/* The stages of a calibration: each measures one part of the plan, and asks decision.h what the figures mean. */
#ifndef TUNE_STAGES_H
#define TUNE_STAGES_H

#include <stdio.h>

#include "decision.h"
#include "dispatch/plan.h"
#include "identity.h"
#include "workload.h"

/* What the choices were made from, for people who ask why. */
struct why_candidate {
  struct candidate candidate;
  unsigned rounds;
  int dropped;                 /* then: too far behind for more rounds; the gains are those of that moment */
  int for_memcpy, for_memmove; /* was chosen */
};

/* Another way of copying, or another value, measured at one size, distance or value. */
struct why_point {
  const char *decision; /* the parameter that it is for */
  const char *against;  /* what the gain is over */
  struct point point;
};

struct why {
  struct why_candidate *candidates; /* malloc'ed, as the other list is */
  size_t candidate_count;
  struct why_point *points;
  size_t point_count;
};

struct stages {
  const struct workload *workload;
  struct identity identity;
  struct fc_plan builtin;     /* without a table and without the environment */
  struct fc_plan plan;        /* grows from the built-in one, stage by stage */
  size_t levels[LEVEL_COUNT]; /* working sets that lie in each level; one that does not exist is like the one above */
  size_t largest;             /* copy that is measured, in bytes */
  struct arena arena;
  struct random random;
  uint64_t start; /* of now_ns() */
  double seconds; /* for everything */
  int progress;   /* say on standard error what goes on */
  FILE *curves;   /* JSON objects of measured points */
  unsigned points;
  struct estimate same; /* the built-in plan compared with itself */
  struct why why;
  int restless; /* memory was too busy to tell large copies apart */
};

/* One scenario of the closing check. Times in ns per call; gains are of the plan. */
struct checked {
  char name[48];
  const char *group;
  int for_memmove;
  double weight; /* of the workload; 0 for the others */
  double system, builtin, plan;
  struct estimate over_builtin, over_system;
};

/* "sse2", or "evex, masked_below=65" */
const char *stage_candidate_name(char *text, size_t size, const struct candidate *candidate);

/* The stages in their order: 0, or -1 with a line on standard error. stage_check() gives a malloc'ed list. */
int stages_open(struct stages *stages);
int stage_levels(struct stages *stages);
int stage_variants(struct stages *stages);
int stage_large(struct stages *stages);
int stage_check(struct stages *stages, struct checked **checked, size_t *count, struct estimate *weighted);
void stages_close(struct stages *stages);

#endif
