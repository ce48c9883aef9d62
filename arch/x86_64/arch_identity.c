/* SPDX-License-Identifier: MIT */
#include "arch/identity.h"

#include <libcpuid/libcpuid.h>
#include <stdint.h>
#include <string.h>

/* libcpuid counts in KB; -1 and 0 are "unknown". */
static size_t bytes(int32_t kib) { return kib > 0 ? (size_t)kib * 1024 : 0; }

static void copy_text(char *to, size_t size, const char *from) {
  size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = '\0';
}

static void say_nothing(const char *message) { (void)message; }

void fc_identity_read(struct fc_identity *identity) {
  identity->source = "libcpuid";
  struct cpu_raw_data_t raw;
  struct cpu_id_t id;
  memset(&id, 0, sizeof id);
  libcpuid_warn_fn_t before = cpuid_set_warn_function(say_nothing);
  if (!cpuid_present() || cpuid_get_raw_data(&raw) != 0 || cpu_identify(&raw, &id) != 0)
    memset(&id, 0, sizeof id);
  cpuid_set_warn_function(before);
  copy_text(identity->vendor, sizeof identity->vendor, id.vendor_str);
  copy_text(identity->name, sizeof identity->name, id.brand_str);
  identity->l1d = bytes(id.l1_data_cache);
  identity->l2 = bytes(id.l2_cache);
  identity->l3 = bytes(id.l3_cache);
}
