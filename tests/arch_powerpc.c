/* SPDX-License-Identifier: MIT */
/* What the harness needs to know of PowerPC. */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#pragma GCC visibility push(hidden)

struct arch_powerpc_frame {
  uintptr_t function, toc;
  uintptr_t r3, r4, r5, r6, after_r3;
  uintptr_t cr, after_cr;
  uintptr_t vrsave, after_vrsave;
  uintptr_t have_fpu, have_altivec;
  uintptr_t reserved[3];
  uintptr_t kept[18], after_kept[18];            /* r14 .. r31 */
  uint64_t floats[18], after_floats[18];         /* f14 .. f31 */
  uint64_t vectors[12][2], after_vectors[12][2]; /* v20 .. v31 */
} __attribute__((aligned(16)));
void arch_powerpc_call(struct arch_powerpc_frame *frame);

unsigned long arch_spy_calls[2];

#pragma GCC visibility pop

#define CR_KEPT 0x00fff000u /* cr2, cr3, cr4 */

/* A variant's body is code, not a function: it has no descriptor; and it may take dst in r6 and its result in r3. */
static bool is_body(const void *function) {
  for (unsigned i = 0; i < FC_VARIANT_COUNT; i++) {
    if (function == fc_variant_body(i))
      return true;
  }
  return false;
}

static void fill_frame(struct arch_powerpc_frame *frame, const struct check_call *call) {
  const uintptr_t harmful = (uintptr_t)0xb0b0000000000001u | 0xb0b00000u;
  bool body = is_body(call->function);
  frame->function = (uintptr_t)call->function;
  frame->toc = 0;
#ifdef __powerpc64__
#if defined _CALL_ELF && _CALL_ELF == 2
  /* a function finds its own from r12, and a body does without */
  frame->toc = harmful;
#else
  __asm__("mr %0, 2" : "=r"(frame->toc));
  if (!body) {
    const uintptr_t *descriptor = call->function;
    frame->function = descriptor[0];
    frame->toc = descriptor[1];
  }
#endif
#endif
  body = body && FC_SLOT_KEEPS;
  frame->r3 = body ? call->result_before : call->arguments[0];
  frame->r4 = call->arguments[1];
  frame->r5 = call->arguments[2];
  frame->r6 = body ? call->arguments[0] : call->arguments[3];
  frame->cr = 0x5a5a5a5au ^ (uint32_t)check_random();
  frame->vrsave = (uint32_t)check_random();
  frame->have_fpu = (check_cpu.features & FC_BIT(fpu)) != 0;
  frame->have_altivec = (check_cpu.features & FC_BIT(altivec)) != 0;
  for (unsigned i = 0; i < 18; i++) {
    frame->kept[i] = harmful + 0x100 * i;
    frame->floats[i] = 0x3ff0b0b000000000u + i;
  }
  for (unsigned i = 0; i < 12; i++) {
    frame->vectors[i][0] = 0xb0b0000100000000u + i;
    frame->vectors[i][1] = 0xb0b0000200000000u + i;
  }
}

const char *arch_call(struct check_call *call) {
  static char text[64];
  static struct arch_powerpc_frame frame;
  fill_frame(&frame, call);
  arch_powerpc_call(&frame);
  call->result = frame.after_r3;

  for (unsigned i = 0; i < 18; i++) {
    const char *what = frame.kept[i] != frame.after_kept[i]                         ? "r"
                       : frame.have_fpu && frame.floats[i] != frame.after_floats[i] ? "f"
                                                                                    : NULL;
    if (what != NULL) {
      snprintf(text, sizeof text, "does not keep %s%u", what, 14 + i);
      return text;
    }
  }
  for (unsigned i = 0; frame.have_altivec && i < 12; i++) {
    if (memcmp(frame.vectors[i], frame.after_vectors[i], 16) != 0) {
      snprintf(text, sizeof text, "does not keep v%u", 20 + i);
      return text;
    }
  }
  if (((frame.cr ^ frame.after_cr) & CR_KEPT) != 0)
    return "does not keep cr2, cr3 or cr4";
  if (frame.have_altivec && frame.vrsave != frame.after_vrsave)
    return "changes vrsave";
  return NULL;
}

void arch_cpu_name(char name[64]) {
  const char *platform = (const char *)getauxval(AT_BASE_PLATFORM);
  snprintf(name, 64, "%s, reported line size %lu", platform != NULL ? platform : "unnamed PowerPC",
           getauxval(AT_DCACHEBSIZE));
}

/* A CPU with more features is qemu's business. */
uint64_t arch_emulate(uint64_t features) {
  (void)features;
  return 0;
}

unsigned long arch_emulated(void) { return 0; }

unsigned arch_params(const struct check_params **list) {
#define SET(name, min, ahead, buffers, promise)                                                           \
  {                                                                                                       \
    name, {                                                                                               \
      [FC_PARAM_dcbz_min] = (min), [FC_PARAM_dcbt_ahead] = (ahead), [FC_PARAM_touch_buffers] = (buffers), \
      [FC_PARAM_cacheable] = (promise)                                                                    \
    }                                                                                                     \
  }
  static const struct check_params sets[] = {
      SET("plain stores", SIZE_MAX, 4, 4, 0),
      SET("cacheable memory", SIZE_MAX, 4, 4, 1),
      SET("dcbz from the lowest, no dcbt", 512, 0, 1, 0),
      SET("dcbz, one touch buffer", 512, 4, 1, 0),
      SET("dcbz, four lines ahead", 512, 4, 4, 1),
      SET("dcbz, the farthest ahead", 512, 32, 16, 0),
      SET("dcbz from an odd size", 1001, 1, 2, 0),
  };
  *list = sets;
  return sizeof sets / sizeof sets[0];
}
