/* SPDX-License-Identifier: MIT */
/* The processor version register names the core; caches it does not describe. */
#include "arch/identity.h"

#include <stdio.h>

#include "arch_cpu.h"
#include "dispatch/plan.h"

static const struct core {
  unsigned version;
  const char *name;
} cores[] = {
    {0x0003, "603"},       {0x0006, "603e"},   {0x0007, "603e"},   {0x0008, "750"},     {0x000c, "7400"},
    {0x0081, "8240"},      {0x0082, "G2_LE"},  {0x0083, "e300c1"}, {0x0084, "e300c2"},  {0x0085, "e300c3"},
    {0x0086, "e300c4"},    {0x8000, "7450"},   {0x8001, "7445"},   {0x8002, "7447"},    {0x8020, "e500"},
    {0x8021, "e500v2"},    {0x8023, "e500mc"}, {0x8024, "e5500"},  {0x8040, "e6500"},   {0x0035, "POWER4"},
    {0x0038, "POWER4+"},   {0x0039, "970"},    {0x003c, "970FX"},  {0x0044, "970MP"},   {0x003a, "POWER5"},
    {0x003b, "POWER5+"},   {0x003e, "POWER6"}, {0x003f, "POWER7"}, {0x004a, "POWER7+"}, {0x004b, "POWER8E"},
    {0x004c, "POWER8NVL"}, {0x004d, "POWER8"}, {0x004e, "POWER9"}, {0x0080, "POWER10"}, {0x0070, "Cell"},
    {0x0090, "PA6T"},      {0x11a5, "476"},
};

void fc_identity_read(struct fc_identity *identity) {
  identity->source = "PVR";
  for (unsigned i = 0; i < sizeof cores / sizeof cores[0]; i++) {
    if (cores[i].version == FC_PVR_VERSION(fc_report.cpu.id))
      snprintf(identity->name, sizeof identity->name, "%s", cores[i].name);
  }
}
