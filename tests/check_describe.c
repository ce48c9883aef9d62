/* SPDX-License-Identifier: MIT */
/*
 * The public functions that answer questions, in this process and in children whose plan is forced.
 *
 * usage: check_describe [--seed NUMBER]
 * (check_describe --story is such a child: it prints what the functions say in the form of FASTCOPY_VERBOSE's line)
 */
#define _GNU_SOURCE
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/plan.h"
#include "lib/fastcopy.h"
#include "make_table.h"

static int tell_story(void) {
  struct fastcopy_plan plan = {.size = sizeof plan};
  if (fastcopy_describe(&plan) != 0)
    return 1;
  printf("fastcopy %s: memcpy %s, memmove %s (%s: %s%s%s)", fastcopy_version(), plan.memcpy_variant,
         plan.memmove_variant, plan.source, plan.reason, plan.table[0] != '\0' ? "; " : "", plan.table);
  for (size_t i = 0; i < plan.parameter_count; i++) {
    if (plan.parameters[i].value == SIZE_MAX)
      printf(" %s=never", plan.parameters[i].name);
    else
      printf(" %s=%zu", plan.parameters[i].name, plan.parameters[i].value);
  }
  printf("\n");
  /* the story could be true of another process: what do the slots hold? */
  if (fc_live.memcpy_slot != fc_slot(&fc_live.memcpy_slot, fc_variant_body(fc_variant_find(plan.memcpy_variant))) ||
      fc_live.memmove_slot != fc_slot(&fc_live.memmove_slot, fc_variant_body(fc_variant_find(plan.memmove_variant))))
    return 2;
  return 0;
}

/* Runs a child under these variables; its story must be the line that FASTCOPY_VERBOSE makes it write. */
static const char *story_under(const char *first, const char *second) {
  static struct check_child child;
  const char *const arguments[] = {check_self(), "--story", NULL};
  const char *const variables[] = {"FASTCOPY_VERBOSE=1", first, first != NULL ? second : NULL, NULL};
  check_run(&child, arguments, variables);
  const char *what = first != NULL ? first : "no variable";
  CHECK(child.status == 0, "describe: under %s: status %#x", what, child.status);
  CHECK(strcmp(child.out, child.err) == 0, "describe: under %s the functions say '%s', FASTCOPY_VERBOSE '%s'", what,
        child.out, child.err);
  CHECK(check_lines(child.err) == 1, "describe: under %s FASTCOPY_VERBOSE prints %zu lines", what,
        check_lines(child.err));
  return child.out;
}

static void check_stories(void) {
  char variable[128], expected[256];
  story_under(NULL, NULL);
  for (size_t i = 0; i < FC_VARIANT_COUNT; i++) {
    const char *name = fc_variants[i].name;
    snprintf(variable, sizeof variable, "FASTCOPY_VARIANT=%.23s", name);
    const char *story = story_under(variable, "FASTCOPY_TABLE=/nonexistent");
    if (fc_variant_usable((unsigned)i, &check_cpu))
      snprintf(expected, sizeof expected, ": memcpy %.23s, memmove %.23s (environment: %s", name, name,
               fc_reason_text(FC_REASON_VARIANT_FORCED));
    else
      snprintf(expected, sizeof expected, " (built-in: %s", fc_reason_text(FC_REASON_VARIANT_REFUSED));
    CHECK(strstr(story, expected) != NULL, "describe: under %s: %s", variable, story);
  }
  const char *story = story_under("FASTCOPY_VARIANT=nonesuch", NULL);
  CHECK(strstr(story, fc_reason_text(FC_REASON_VARIANT_REFUSED)) != NULL, "describe: an unknown variant: %s", story);
  story = story_under("FASTCOPY_DISABLE=all", "FASTCOPY_TABLE=/nonexistent");
  snprintf(expected, sizeof expected, ": memcpy %.23s, memmove %.23s (built-in: ", fc_variants[FC_BASELINE].name,
           fc_variants[FC_BASELINE].name);
  CHECK(strstr(story, expected) != NULL, "describe: under FASTCOPY_DISABLE=all: %s", story);
  story = story_under("FASTCOPY_DISABLE=table", "FASTCOPY_TABLE=/nonexistent");
  CHECK(strstr(story, fc_reason_text(FC_REASON_TABLE_DISABLED)) != NULL && strstr(story, "/nonexistent") == NULL,
        "describe: under FASTCOPY_DISABLE=table: %s", story);

  /* a table with two variants, and numbers below their bounds: what is in force is what is told */
  char path[] = "/tmp/check_describe.XXXXXX";
  struct fc_table_entry entry = {.cpu = {.arch = check_cpu.arch, .id = check_cpu.id},
                                 .feature_hash = fc_feature_hash(check_cpu.features),
                                 .param_count = FC_PARAM_COUNT};
  unsigned other = FC_VARIANT_COUNT - 1;
  while (other == FC_BASELINE || !fc_variant_usable(other, &check_cpu))
    other--;
  check_set_text(entry.memcpy_variant, sizeof entry.memcpy_variant, fc_variants[other].name);
  check_set_text(entry.memmove_variant, sizeof entry.memmove_variant, fc_variants[FC_BASELINE].name);
  struct table_layout layout = table_layout(1);
  unsigned char bytes[1024];
  table_put(bytes, &layout, &entry);
  int file = mkstemp(path);
  if (file < 0 || write(file, bytes, table_size(&layout)) != (ssize_t)table_size(&layout)) {
    perror(path);
    exit(1);
  }
  close(file);
  snprintf(variable, sizeof variable, "FASTCOPY_TABLE=%s", path);
  story = story_under(variable, NULL);
  snprintf(expected, sizeof expected, ": memcpy %.23s, memmove %.23s (table: ", fc_variants[other].name,
           fc_variants[FC_BASELINE].name);
  CHECK(strstr(story, expected) != NULL && strstr(story, path) != NULL, "describe: with a table: %s", story);
  for (unsigned i = 0; i < FC_PARAM_COUNT; i++) {
    snprintf(expected, sizeof expected, " %.23s=%zu", fc_params[i].name, fc_params[i].lowest);
    CHECK(strstr(story, expected) != NULL, "describe: with a table of zeros there is no%s: %s", expected, story);
  }
  unlink(path);
}

static void check_plan(void) {
  struct {
    struct fastcopy_plan plan;
    unsigned char after[64];
  } room;
  CHECK(fastcopy_describe(NULL) == -1, "describe: NULL is accepted");
  for (size_t size = 0; size < sizeof room.plan; size++) {
    memset(&room, 0xa5, sizeof room);
    room.plan.size = size;
    CHECK(fastcopy_describe(&room.plan) == -1, "describe: a structure of %zu bytes is accepted", size);
    for (size_t i = sizeof room.plan.size; i < sizeof room; i++)
      CHECK(((unsigned char *)&room)[i] == 0xa5, "describe: a structure of %zu bytes is written to", size);
  }
  for (size_t size = sizeof room.plan; size <= sizeof room; size++) {
    memset(&room, 0xa5, sizeof room);
    room.plan.size = size;
    CHECK(fastcopy_describe(&room.plan) == 0, "describe: a structure of %zu bytes is refused", size);
    CHECK(room.plan.size == size, "describe: the size that the caller set is changed");
    for (size_t i = 0; i < sizeof room.after; i++)
      CHECK(room.after[i] == 0xa5, "describe: byte %zu after a structure is written", i);
  }
  const struct fastcopy_plan *plan = &room.plan;
  CHECK(strcmp(plan->memcpy_variant, fc_variants[fc_report.plan.memcpy_variant].name) == 0 &&
            strcmp(plan->memmove_variant, fc_variants[fc_report.plan.memmove_variant].name) == 0,
        "describe: the variants are not those in force");
  CHECK(plan->cpu == fc_report.cpu.id && plan->feature_hash == fc_feature_hash(fc_report.cpu.features),
        "describe: the signature is not that of the CPU");
  CHECK(memchr(plan->features, '\0', sizeof plan->features) != NULL, "describe: the features have no end");
  char features[1024] = "";
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    if (fc_report.cpu.features >> i & 1)
      strcat(strcat(features, features[0] != '\0' ? ", " : ""), fc_feature_names[i].name);
  }
  CHECK(strcmp(plan->features, features) == 0, "describe: the features are '%s', not '%s'", plan->features, features);
  CHECK(plan->parameter_count == FC_PARAM_COUNT, "describe: %zu parameters", plan->parameter_count);
  for (size_t i = 0; i < plan->parameter_count; i++)
    CHECK(strcmp(plan->parameters[i].name, fc_params[i].name) == 0 && plan->parameters[i].doc[0] != '\0' &&
              plan->parameters[i].value == fc_live.params[i],
          "describe: parameter %s is not as it is in force", fc_params[i].name);
  /* asked again, the answer is the same to the letter and the pointer */
  struct fastcopy_plan again = {.size = sizeof again};
  CHECK(fastcopy_describe(&again) == 0, "describe: refused the second time");
  CHECK(again.memcpy_variant == plan->memcpy_variant && again.memmove_variant == plan->memmove_variant &&
            again.source == plan->source && again.reason == plan->reason && again.table == plan->table &&
            strcmp(again.features, plan->features) == 0 && again.parameter_count == plan->parameter_count &&
            memcmp(again.parameters, plan->parameters, again.parameter_count * sizeof again.parameters[0]) == 0,
        "describe: the second answer differs");
}

static void check_variants(void) {
  struct {
    struct fastcopy_variant variant;
    unsigned char after[64];
  } room;
  CHECK(fastcopy_variants(0, NULL) == -1, "variants: NULL is accepted");
  for (size_t size = 0; size <= sizeof room; size++) {
    memset(&room, 0xa5, sizeof room);
    room.variant.size = size;
    int expected = size < sizeof room.variant ? -1 : 0;
    CHECK(fastcopy_variants(0, &room.variant) == expected, "variants: a structure of %zu bytes", size);
    for (size_t i = expected == 0 ? sizeof room.variant : sizeof room.variant.size; i < sizeof room; i++)
      CHECK(((unsigned char *)&room)[i] == 0xa5, "variants: byte %zu of a structure of %zu bytes is written", i, size);
  }
  struct fastcopy_variant variant = {.size = sizeof variant};
  size_t count = 0;
  for (; fastcopy_variants(count, &variant) == 0; count++) {
    const struct fc_variant *row = &fc_variants[count];
    CHECK(strcmp(variant.name, row->name) == 0 && strcmp(variant.needs, row->needs) == 0,
          "variants: %s has other words", row->name);
    CHECK(variant.usable == fc_variant_usable((unsigned)count, &fc_report.cpu), "variants: %s is usable: %d", row->name,
          variant.usable);
    CHECK(variant.measured_only == ((row->traits & FC_MEASURED) != 0), "variants: %s: measured_only %d", row->name,
          variant.measured_only);
    CHECK(variant.memmove == fc_variant_function((unsigned)count), "variants: %s has another function", row->name);
    if (variant.usable) {
      char text[] = "0123456789";
      CHECK(variant.memmove(text + 2, text, 8) == text + 2 && strcmp(text, "0101234567") == 0,
            "variants: %s copies wrong", row->name);
    }
  }
  CHECK(count == FC_VARIANT_COUNT, "variants: %zu are told of", count);
  const size_t beyond[] = {FC_VARIANT_COUNT, FC_VARIANT_COUNT + 1, SIZE_MAX, SIZE_MAX / 2 + 1};
  for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++)
    CHECK(fastcopy_variants(beyond[i], &variant) == -1, "variants: there is number %zu", beyond[i]);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--story") == 0)
    return tell_story();
  check_begin(argc, argv);
  CHECK(strcmp(fastcopy_version(), FASTCOPY_VERSION_STRING) == 0, "describe: the version is %s, the header's %s",
        fastcopy_version(), FASTCOPY_VERSION_STRING);
  check_plan();
  check_variants();
  check_stories();
  return check_end();
}
