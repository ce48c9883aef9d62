/* SPDX-License-Identifier: MIT */
/* What the library reads from the initial stack: forged stacks, forged environments, lists of words, feature names. */
#define _GNU_SOURCE
#include "check.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* dispatch/startup.c once more, built to find the stack here. */
extern const void *check_stack_end;
const void *check_stack_end;
void forged_startup_read(struct fc_startup *startup);

enum { WORDS = 64 };

/* A stack: argc, argv, NULL, envp, NULL, auxv. */
static struct fc_startup read_stack(unsigned long argc, unsigned arguments, const char *const *variables,
                                    const unsigned long *auxv, unsigned auxv_words) {
  static unsigned long stack[WORDS];
  struct fc_startup startup;
  unsigned at = 0;
  memset(stack, 0xa5, sizeof stack);
  stack[at++] = argc;
  for (unsigned i = 0; i < arguments; i++)
    stack[at++] = (unsigned long)"argument";
  stack[at++] = 0;
  for (; variables != NULL && *variables != NULL; variables++)
    stack[at++] = (unsigned long)*variables;
  stack[at++] = 0;
  for (unsigned i = 0; i < auxv_words; i++)
    stack[at++] = auxv[i];
  check_stack_end = stack;
  memset(&startup, 0xa5, sizeof startup);
  forged_startup_read(&startup);
  return startup;
}

static void check_not_found(const struct fc_startup *startup, const char *what) {
  CHECK(!startup->found && startup->secure && startup->envp == NULL, "startup: %s: found %d, secure %d, envp %p", what,
        startup->found, startup->secure, (const void *)startup->envp);
}

static void check_stacks(void) {
  const char *const variables[] = {"A=1", "FASTCOPY_VARIANT=x", NULL};
  const unsigned long plain[] = {AT_HWCAP, 0x1234, AT_SECURE, 0, AT_HWCAP2, 0x5678, AT_DCACHEBSIZE, 128, AT_NULL, 0};
  const unsigned long secure[] = {AT_SECURE, 1, AT_NULL, 0};
  const unsigned long secure_other[] = {AT_SECURE, 0x100, AT_NULL, 0};
  const unsigned long silent[] = {AT_HWCAP, 1, AT_NULL, 0};

  struct fc_startup startup = read_stack(2, 2, variables, plain, 10);
  CHECK(startup.found && !startup.secure && startup.envp != NULL, "startup: a plain stack is not found");
  CHECK(startup.hwcap == 0x1234 && startup.hwcap2 == 0x5678 && startup.dcache_line == 128,
        "startup: the auxiliary vector is read wrong: %#lx %#lx %lu", startup.hwcap, startup.hwcap2,
        startup.dcache_line);
  CHECK(startup.envp != NULL && strcmp(startup.envp[1], variables[1]) == 0 && startup.envp[2] == NULL,
        "startup: the environment is not that of the stack");
  startup = read_stack(0, 0, NULL, plain, 10);
  CHECK(startup.found && startup.envp != NULL && startup.envp[0] == NULL, "startup: a stack with nothing on it");
  startup = read_stack(1, 1, variables, secure, 4);
  CHECK(startup.found && startup.secure, "startup: AT_SECURE is not seen");
  startup = read_stack(1, 1, variables, secure_other, 4);
  CHECK(startup.secure, "startup: AT_SECURE of another value is not seen");
  startup = read_stack(1, 1, variables, silent, 4);
  check_not_found(&startup, "no AT_SECURE");
  startup = read_stack(3, 2, variables, plain, 10);
  check_not_found(&startup, "argc too large by one");
  startup = read_stack(1, 2, variables, plain, 10);
  check_not_found(&startup, "argc too small by one");
  startup = read_stack(0x80000000, 2, variables, plain, 10);
  check_not_found(&startup, "argc out of bounds");
  startup = read_stack(~0ul, 2, variables, plain, 10);
  check_not_found(&startup, "argc all ones");
  check_stack_end = NULL;
  forged_startup_read(&startup);
  check_not_found(&startup, "no stack");
}

/* The stack of this very process. */
static void check_own_stack(void) {
  struct fc_startup startup;
  fc_startup_read(&startup);
  CHECK(startup.found, "startup: the stack of this process is not found");
  CHECK(startup.secure == (getauxval(AT_SECURE) != 0), "startup: secure is %d", startup.secure);
  /* getauxval() may tell what the C library made of it */
  unsigned long pair[2], hwcap = 0, hwcap2 = 0, line = 0;
  FILE *auxv = fopen("/proc/self/auxv", "rb");
  while (auxv != NULL && fread(pair, sizeof pair, 1, auxv) == 1) {
    if (pair[0] == AT_HWCAP)
      hwcap = pair[1];
    else if (pair[0] == AT_HWCAP2)
      hwcap2 = pair[1];
    else if (pair[0] == AT_DCACHEBSIZE)
      line = pair[1];
  }
  if (auxv != NULL)
    fclose(auxv);
  else
    check_skip("startup: the auxiliary vector of this process: there is no /proc/self/auxv");
  CHECK(auxv == NULL || (startup.hwcap == hwcap && startup.hwcap2 == hwcap2 && startup.dcache_line == line),
        "startup: the auxiliary vector is %#lx %#lx %lu, not %#lx %#lx %lu", startup.hwcap, startup.hwcap2,
        startup.dcache_line, hwcap, hwcap2, line);
  unsigned count = 0;
  for (; startup.envp != NULL && startup.envp[count] != NULL && environ[count] != NULL; count++)
    CHECK(strcmp(startup.envp[count], environ[count]) == 0, "startup: variable %u differs", count);
  CHECK(startup.envp != NULL && startup.envp[count] == NULL && environ[count] == NULL,
        "startup: the environment has another length");
}

static bool same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static void expect_env(const char *const *variables, const char *table, const char *variant, const char *disable,
                       bool verbose, const char *what) {
  struct fc_startup startup = {.found = true, .envp = variables};
  struct fc_env env;
  memset(&env, 0xa5, sizeof env);
  fc_env_read(&env, &startup);
  CHECK(same(env.table, table) && same(env.variant, variant) && same(env.disable, disable) && env.verbose == verbose,
        "startup: %s: table %s, variant %s, disable %s, verbose %d", what, env.table, env.variant, env.disable,
        env.verbose);
}

static void check_env(void) {
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define EXPECT(variables, ...) expect_env(variables, __VA_ARGS__, #variables)
  expect_env((const char *const[]){NULL}, NULL, NULL, NULL, false, "no variables");
  EXPECT(LIST("FASTCOPY_TABLE=/a/b", "FASTCOPY_VARIANT=sse2", "FASTCOPY_DISABLE=avx2", "FASTCOPY_VERBOSE=1"), "/a/b",
         "sse2", "avx2", true);
  EXPECT(LIST("FASTCOPY_TABLE=", "FASTCOPY_VARIANT=", "FASTCOPY_DISABLE=", "FASTCOPY_VERBOSE="), NULL, NULL, "", false);
  EXPECT(LIST("FASTCOPY_VERBOSE=0"), NULL, NULL, NULL, false);
  EXPECT(LIST("FASTCOPY_VERBOSE=00"), NULL, NULL, NULL, true);
  EXPECT(LIST("FASTCOPY_VERBOSE=no"), NULL, NULL, NULL, true);
  EXPECT(LIST("FASTCOPY_TABLE=a=b"), "a=b", NULL, NULL, false);
  /* near misses */
  EXPECT(LIST("FASTCOPY_TABLE", "FASTCOPY_TABLES=x", "FASTCOPY_TABL=x", "XFASTCOPY_TABLE=x", "fastcopy_table=x",
              "FASTCOPY_=x", "FASTCOPY=x", "FA", "F", "", "=", "FASTCOPY_VARIANT2=x", "FASTCOPY_VERBOSE",
              "FASTCOPY_CACHEABLE"),
         NULL, NULL, NULL, false);
  /* of two the last counts, as with a shell's own table of variables */
  EXPECT(LIST("FASTCOPY_VARIANT=a", "FASTCOPY_VARIANT=b"), NULL, "b", NULL, false);

  static char longest[1 << 20];
  memset(longest, 'x', sizeof longest - 1);
  memcpy(longest, "FASTCOPY_VARIANT=", 17);
  expect_env(LIST(longest), NULL, longest + 17, NULL, false, "a long value");
  memcpy(longest, "FASTCOPY_DISABLE=", 17);
  expect_env(LIST(longest), NULL, NULL, longest + 17, false, "a long list");
  CHECK(fc_env_disabled(longest + 17) == 0 && !fc_list_has(longest + 17, "x"), "startup: a long word is found");

  const char *const all[] = {"FASTCOPY_TABLE=/a", "FASTCOPY_VARIANT=b", "FASTCOPY_DISABLE=c", "FASTCOPY_VERBOSE=1",
                             NULL};
  for (unsigned i = 0; i < 3; i++) {
    struct fc_startup startup = {.found = i & 1, .secure = i != 1, .envp = i == 0 ? NULL : all};
    struct fc_env env;
    memset(&env, 0xa5, sizeof env);
    if (i == 1)
      startup.secure = true;
    fc_env_read(&env, &startup);
    CHECK(env.table == NULL && env.variant == NULL && env.disable == NULL && !env.verbose,
          "startup: a process that is %s honours the environment", startup.found ? "secure" : "not known");
  }
}

static void check_promise(void) {
  const struct {
    const char *variable;
    enum fc_promise promise;
  } cases[] = {{"FASTCOPY_CACHEABLE=", FC_UNSAID},    {"FASTCOPY_CACHEABLE=0", FC_DENIED},
               {"FASTCOPY_CACHEABLE=1", FC_PROMISED}, {"FASTCOPY_CACHEABLE=00", FC_PROMISED},
               {"FASTCOPY_CACHEABLE", FC_UNSAID},     {"FASTCOPY_CACHEABLE2=1", FC_UNSAID}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int secure = 0; secure < 2; secure++) {
      struct fc_startup startup = {
          .found = true, .secure = secure, .envp = (const char *const[]){cases[i].variable, NULL}};
      struct fc_env env;
      memset(&env, 0xa5, sizeof env);
      fc_env_read(&env, &startup);
      CHECK(env.cacheable == (secure ? FC_UNSAID : cases[i].promise), "startup: %s, secure %d: promise %u",
            cases[i].variable, secure, env.cacheable);
    }
  }
}

static void check_lists(void) {
  const struct {
    const char *list, *word;
    bool has;
  } cases[] = {
      {NULL, "a", false},         {"", "a", false},           {"", "", false},
      {",", "", false},           {"a", "a", true},           {"a", "", false},
      {"a", "b", false},          {"a", "ab", false},         {"ab", "a", false},
      {"ab", "b", false},         {"a,b", "a", true},         {"a,b", "b", true},
      {"a,b", "a,b", false},      {",a", "a", true},          {"a,", "a", true},
      {",,a,,", "a", true},       {",,", "a", false},         {"b,ab,a", "a", true},
      {"b,ab,abc", "a", false},   {" a", "a", false},         {"a ", "a", false},
      {"A", "a", false},          {"avx,avx2", "avx2", true}, {"avx2", "avx", false},
      {"table,all", "all", true}, {"tableall", "all", false},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CHECK(fc_list_has(cases[i].list, cases[i].word) == cases[i].has, "startup: '%s' in the list '%s': %d",
          cases[i].word, cases[i].list != NULL ? cases[i].list : "(none)", !cases[i].has);

  CHECK(fc_env_disabled(NULL) == 0 && fc_env_disabled("") == 0 && fc_env_disabled(",") == 0,
        "startup: empty lists disable");
  CHECK(fc_env_disabled("all") == ~0ull && fc_env_disabled("x,all") == ~0ull && fc_env_disabled("all,table") == ~0ull,
        "startup: all does not disable all");
  CHECK(fc_env_disabled("allx") == 0 && fc_env_disabled("table") == 0, "startup: words that are no features disable");
  char list[1024] = "";
  unsigned long long expected = 0;
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    const char *name = fc_feature_names[i].name;
    CHECK(fc_env_disabled(name) == 1ull << i, "startup: '%s' does not disable itself alone", name);
    strcat(strcat(list, i % 2 ? ",nonesuch,," : ","), name);
    expected |= 1ull << i;
    CHECK(fc_env_disabled(list) == expected, "startup: '%s' disables %#llx", list, fc_env_disabled(list));
  }
}

/* FNV-1a of a name, from its definition. */
static uint64_t hash_of(const char *name) {
  uint64_t hash = 14695981039346656037u;
  for (; *name != '\0'; name++) {
    hash ^= (unsigned char)*name;
    hash *= 1099511628211u;
  }
  return hash;
}

static void check_features(void) {
  for (unsigned i = 0; i < FC_FEATURE_COUNT; i++) {
    const char *name = fc_feature_names[i].name;
    size_t length = strlen(name);
    CHECK(length > 0 && length < sizeof fc_feature_names[i].name, "features: name %u does not fit", i);
    CHECK(fc_feature_find(name, length) == 1ull << i, "features: %s is not found", name);
    CHECK(fc_feature_find(name, length - 1) != 1ull << i, "features: %s is found by less than its name", name);
    char more[32];
    snprintf(more, sizeof more, "%.16sx", name);
    CHECK(fc_feature_find(more, length + 1) == 0, "features: %s is found", more);
    /* the length counts, not what follows */
    CHECK(fc_feature_find(more, length) == 1ull << i, "features: %s is not found before other text", name);
  }
  CHECK(fc_feature_find("", 0) == 0, "features: nothing is found");
  CHECK(fc_feature_find("sse2\0avx", 8) == 0, "features: a name with a NUL in it is found");

  /* the hash is that of a set of names: neither order nor bit numbers enter */
  CHECK(fc_feature_hash(0) == 0, "features: the empty set hashes to something");
  for (unsigned i = 0; i < 1000; i++) {
    uint64_t set = check_random() & (((uint64_t)1 << FC_FEATURE_COUNT) - 1), expected = 0;
    for (unsigned k = FC_FEATURE_COUNT; k-- > 0;)
      expected ^= set >> k & 1 ? hash_of(fc_feature_names[k].name) : 0;
    CHECK(fc_feature_hash(set) == expected, "features: hash of %#llx", (unsigned long long)set);
    CHECK(fc_feature_hash(set | (uint64_t)1 << 63) == expected, "features: a bit without a name enters the hash");
    unsigned other = (unsigned)check_below(FC_FEATURE_COUNT);
    CHECK(fc_feature_hash(set ^ (uint64_t)1 << other) != expected, "features: two sets have one hash");
  }
}

int main(int argc, char **argv) {
  check_begin(argc, argv);
  check_stacks();
  check_own_stack();
  check_env();
  check_promise();
  check_lists();
  check_features();
  return check_end();
}
