/* SPDX-License-Identifier: MIT */
/* What the harness needs to know of x86_64. */
#include "check.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#include "sim/avx512.h"

#pragma GCC visibility push(hidden)

struct arch_x86_frame {
  void *function;
  uint64_t rdi, rsi, rdx, rcx, rax;
  uint64_t after_rax;
  uint64_t kept[6];
  uint64_t flags;
};
void arch_x86_call(struct arch_x86_frame *frame);
void arch_x86_spy_0(void);
void arch_x86_spy_1(void);

unsigned long arch_spy_calls[2];

#pragma GCC visibility pop

#define DIRECTION_FLAG (1u << 10)
#define STATE_AVX (1u << 2)

/* The part of an FXSAVE image that copying has no business with. */
struct fpu {
  uint16_t control, status;
  uint8_t tags, reserved;
  uint16_t opcode;
  uint64_t ip, dp;
  uint32_t mxcsr, mxcsr_mask;
  uint8_t registers[480];
} __attribute__((aligned(16)));

static void read_fpu(struct fpu *fpu) { __asm__ volatile("fxsave64 %0" : "=m"(*fpu)); }

static unsigned states_in_use(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low;
}

static void clear_upper_halves(void) { __asm__ volatile("vzeroupper"); }

/* Can this CPU tell whether the upper halves of the ymm registers are clean? Asked once. */
static bool upper_halves_observable(void) {
  static int known = -1;
  unsigned a, b, c, d;
  if (known >= 0)
    return known;
  known = 0;
  if (!(check_cpu.features & FC_BIT(avx)) || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 1u << 2)) {
    check_skip("upper halves of the vector registers: this CPU has no XGETBV with ECX = 1, or no AVX");
    return false;
  }
  /* all ones into ymm0 */
  __asm__ volatile("vcmpps $15, %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
  unsigned dirty = states_in_use();
  clear_upper_halves();
  if (dirty & STATE_AVX && !(states_in_use() & STATE_AVX))
    known = 1;
  else
    check_skip("upper halves of the vector registers: this CPU does not say whether they are in use");
  return known;
}

static bool emulating;

const char *arch_call(struct check_call *call) {
  static const char *const names[6] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  static char text[64];
  struct arch_x86_frame frame = {
      .function = call->function,
      .rdi = call->arguments[0],
      .rsi = call->arguments[1],
      .rdx = call->arguments[2],
      .rcx = call->arguments[3],
      .rax = call->result_before,
  };
  struct fpu before, after;
  /* the signal frames of the emulator mark states as used */
  bool observe = !emulating && upper_halves_observable();
  read_fpu(&before);
  if (observe)
    clear_upper_halves();
  arch_x86_call(&frame);
  bool dirty = observe && states_in_use() & STATE_AVX;
  read_fpu(&after);
  call->result = frame.after_rax;

  for (unsigned i = 0; i < 6; i++) {
    if (frame.kept[i] != 0xb0b0000000000001u + i) {
      snprintf(text, sizeof text, "does not keep %s", names[i]);
      return text;
    }
  }
  if (frame.flags & DIRECTION_FLAG)
    return "leaves the direction flag set";
  if (before.mxcsr != after.mxcsr)
    return "changes mxcsr";
  if (before.control != after.control || before.tags != after.tags)
    return "changes the x87 state";
  if (dirty)
    return "leaves upper halves of ymm registers in use";
  return NULL;
}

void arch_cpu_name(char name[64]) {
  unsigned words[13] = {0};
  for (unsigned i = 0; i < 3; i++)
    __get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  snprintf(name, 64, "%s", words[0] != 0 ? (const char *)words : "unnamed x86_64");
}

uint64_t arch_emulate(uint64_t features) {
  uint64_t known = FC_BIT(avx512f) | FC_BIT(avx512bw) | FC_BIT(avx512vl);
  if ((features & known) == 0 || avx512_native() || avx512_emulate() != 0)
    return 0;
  emulating = true;
  return known;
}

unsigned long arch_emulated(void) { return avx512_emulated(); }

void *arch_spy(unsigned which) { return which == 0 ? (void *)arch_x86_spy_0 : (void *)arch_x86_spy_1; }

unsigned arch_params(const struct check_params **list) {
#define SET(name, min, max, skew, non_temporal)                                                               \
  {                                                                                                           \
    name, {                                                                                                   \
      [FC_PARAM_rep_movsb_min] = (min), [FC_PARAM_rep_movsb_max] = (max), [FC_PARAM_rep_movsb_skew] = (skew), \
      [FC_PARAM_non_temporal_min] = (non_temporal)                                                            \
    }                                                                                                         \
  }
  static const struct check_params sets[] = {
      SET("loops alone", SIZE_MAX, SIZE_MAX, 0, SIZE_MAX),
      SET("non-temporal from the lowest", SIZE_MAX, SIZE_MAX, 0, 0x4000),
      SET("rep movsb from the lowest", 256, SIZE_MAX, 0, SIZE_MAX),
      SET("rep movsb, skew 64", 256, SIZE_MAX, 64, SIZE_MAX),
      SET("rep movsb, skew 4096", 256, SIZE_MAX, 4096, SIZE_MAX),
      SET("rep movsb within a window", 513, 2048, 0, SIZE_MAX),
      SET("rep movsb, then non-temporal", 4096, 0x4000, 64, 0x4000),
      SET("rep movsb beyond non-temporal", 256, SIZE_MAX, 0, 0x4001),
  };
  *list = sets;
  return sizeof sets / sizeof sets[0];
}
