/* SPDX-License-Identifier: MIT */
/*
 * Trap-and-emulate AVX-512; see avx512.h for what it promises.
 *
 * In order: the table of instructions, the software registers, memory, the decoder, execution, the handler.
 *
 * The routine under test may be memcpy or memset, so neither may be called while an instruction is emulated. The
 * compiler likes to make such calls out of loops and initialisers: arrays here are filled through copy() and clear(),
 * whose accesses are volatile, and memory of the interrupted program is reached by single-byte assembly only. That
 * also keeps sanitizers from judging accesses that the emulated program made.
 */
#define _GNU_SOURCE
#include "avx512.h"

#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

enum { ZMM = 64 };

/* Table of instructions. */

enum op {
  OP_LOAD,  /* reg = rm */
  OP_STORE, /* rm = reg */
  OP_AND,   /* reg = vvvv op rm, down to OP_BLEND */
  OP_ANDN,
  OP_OR,
  OP_XOR,
  OP_TERNARY,
  OP_BLEND,
  OP_ALIGN,
  OP_COMPARE, /* k = vvvv op rm, predicate in the immediate */
  OP_COMPARE_U,
  OP_EQUAL,
  OP_GREATER,
  OP_TEST,
  OP_TESTN,
  OP_BROADCAST, /* reg = copies of the first row.mem bytes of rm */
  OP_BROADCAST_GPR,
  OP_FROM_GPR, /* xmm = r/m */
  OP_TO_GPR,   /* r/m = xmm */
  OP_EXTRACT,
  OP_INSERT,
  OP_MASK_TO_VECTOR,
  OP_VECTOR_TO_MASK,
  OP_KMOV, /* k = k/mem; all below are opmask instructions in VEX encoding */
  OP_KMOV_STORE,
  OP_KMOV_FROM_GPR,
  OP_KMOV_TO_GPR,
  OP_KAND,
  OP_KANDN,
  OP_KOR,
  OP_KXOR,
  OP_KXNOR,
  OP_KADD,
  OP_KUNPACK,
  OP_KNOT,
  OP_KORTEST,
  OP_KTEST,
  OP_KSHIFT_RIGHT,
  OP_KSHIFT_LEFT,
};

enum {
  MASK = 1,  /* takes {k} */
  ZERO = 2,  /* takes {z}, with a register as destination */
  VVVV = 4,  /* vvvv names an operand */
  BCAST = 8, /* takes {1toN} */
  IMM = 16,
  ALIGNED = 32, /* memory must be aligned to the vector length */
  MEM = 64,     /* rm is memory only */
  REG = 128,    /* rm is a register only */
  BW = 256,
  DQ = 512,
  SCALAR = 1024, /* one length only, not counted as avx512vl */
  L1 = 2048,     /* VEX.L must be 1 */
};

enum { VEX = 1, EVEX = 2 };
enum { M0F = 1, M0F38 = 2, M0F3A = 3 };
enum { PNONE = 0, P66 = 1, PF3 = 2, PF2 = 3 };
enum { W0 = 0, W1 = 1, WIG = 2 };

struct row {
  uint8_t encoding, map, prefix, opcode, w;
  uint8_t op;
  uint8_t element;  /* bytes a mask bit stands for; for opmask instructions the bytes of the operation */
  uint8_t mem;      /* bytes of the memory operand, which scale its disp8; 0 for the vector length */
  uint8_t shortest; /* vector length in bytes */
  uint16_t flags;
};

#define MOVE (MASK | ZERO)
#define BITWISE (MASK | ZERO | VVVV | BCAST)
#define MOVE_ROWS(prefix, load, store, w, element, more)                  \
  {EVEX, M0F, prefix, load, w, OP_LOAD, element, 0, 16, MOVE | (more)}, { \
    EVEX, M0F, prefix, store, w, OP_STORE, element, 0, 16, MOVE | (more)  \
  }
#define BITWISE_ROWS(opcode, op) \
  {EVEX, M0F, P66, opcode, W0, op, 4, 0, 16, BITWISE}, { EVEX, M0F, P66, opcode, W1, op, 8, 0, 16, BITWISE }
#define FLOAT_BITWISE_ROWS(opcode, op) \
  {EVEX, M0F, PNONE, opcode, W0, op, 4, 0, 16, BITWISE | DQ}, { EVEX, M0F, P66, opcode, W1, op, 8, 0, 16, BITWISE | DQ }
#define COMPARE_ROWS(narrow, wide, op)                                         \
  {EVEX, M0F3A, P66, narrow, W0, op, 1, 0, 16, MASK | VVVV | IMM | BW},        \
      {EVEX, M0F3A, P66, narrow, W1, op, 2, 0, 16, MASK | VVVV | IMM | BW},    \
      {EVEX, M0F3A, P66, wide, W0, op, 4, 0, 16, MASK | VVVV | IMM | BCAST}, { \
    EVEX, M0F3A, P66, wide, W1, op, 8, 0, 16, MASK | VVVV | IMM | BCAST        \
  }
#define COMPARE_FIXED_ROWS(byte, quad, op)                                   \
  {EVEX, M0F, P66, byte, WIG, op, 1, 0, 16, MASK | VVVV | BW},               \
      {EVEX, M0F, P66, (byte) + 1, WIG, op, 2, 0, 16, MASK | VVVV | BW},     \
      {EVEX, M0F, P66, (byte) + 2, W0, op, 4, 0, 16, MASK | VVVV | BCAST}, { \
    EVEX, M0F38, P66, quad, W1, op, 8, 0, 16, MASK | VVVV | BCAST            \
  }
#define TEST_ROWS(prefix, op)                                               \
  {EVEX, M0F38, prefix, 0x26, W0, op, 1, 0, 16, MASK | VVVV | BW},          \
      {EVEX, M0F38, prefix, 0x26, W1, op, 2, 0, 16, MASK | VVVV | BW},      \
      {EVEX, M0F38, prefix, 0x27, W0, op, 4, 0, 16, MASK | VVVV | BCAST}, { \
    EVEX, M0F38, prefix, 0x27, W1, op, 8, 0, 16, MASK | VVVV | BCAST        \
  }
#define BROADCAST_ROW(opcode, w, element, mem, shortest, more) \
  { EVEX, M0F38, P66, opcode, w, OP_BROADCAST, element, mem, shortest, MOVE | (more) }
#define SUBVECTOR_ROWS(opcode, op, more)                                               \
  {EVEX, M0F3A, P66, opcode, W0, op, 4, 16, 32, MOVE | IMM | (more)},                  \
      {EVEX, M0F3A, P66, opcode, W1, op, 8, 16, 32, MOVE | IMM | DQ | (more)},         \
      {EVEX, M0F3A, P66, (opcode) + 2, W0, op, 4, 32, 64, MOVE | IMM | DQ | (more)}, { \
    EVEX, M0F3A, P66, (opcode) + 2, W1, op, 8, 32, 64, MOVE | IMM | (more)             \
  }
/* Opmask instructions come in four sizes; the word one is the only one that avx512f may have. */
#define K_ROWS(opcode, op, word_set, more)                             \
  {VEX, M0F, P66, opcode, W0, op, 1, 1, 0, DQ | (more)},               \
      {VEX, M0F, PNONE, opcode, W0, op, 2, 2, 0, (word_set) | (more)}, \
      {VEX, M0F, P66, opcode, W1, op, 4, 4, 0, BW | (more)}, {         \
    VEX, M0F, PNONE, opcode, W1, op, 8, 8, 0, BW | (more)              \
  }
#define K_GPR_ROWS(opcode, op)                                                                         \
  {VEX, M0F, P66, opcode, W0, op, 1, 0, 0, REG | DQ}, {VEX, M0F, PNONE, opcode, W0, op, 2, 0, 0, REG}, \
      {VEX, M0F, PF2, opcode, W0, op, 4, 0, 0, REG | BW}, {                                            \
    VEX, M0F, PF2, opcode, W1, op, 8, 0, 0, REG | BW                                                   \
  }
#define K_SHIFT_ROWS(opcode, op)                                                                                     \
  {VEX, M0F3A, P66, opcode, W0, op, 1, 0, 0, REG | IMM | DQ}, {VEX, M0F3A, P66, opcode, W1, op, 2, 0, 0, REG | IMM}, \
      {VEX, M0F3A, P66, (opcode) + 1, W0, op, 4, 0, 0, REG | IMM | BW}, {                                            \
    VEX, M0F3A, P66, (opcode) + 1, W1, op, 8, 0, 0, REG | IMM | BW                                                   \
  }

static const struct row rows[] = {
    MOVE_ROWS(PNONE, 0x10, 0x11, W0, 4, 0),                          /* vmovups */
    MOVE_ROWS(P66, 0x10, 0x11, W1, 8, 0),                            /* vmovupd */
    MOVE_ROWS(PNONE, 0x28, 0x29, W0, 4, ALIGNED),                    /* vmovaps */
    MOVE_ROWS(P66, 0x28, 0x29, W1, 8, ALIGNED),                      /* vmovapd */
    MOVE_ROWS(PF2, 0x6f, 0x7f, W0, 1, BW),                           /* vmovdqu8 */
    MOVE_ROWS(PF2, 0x6f, 0x7f, W1, 2, BW),                           /* vmovdqu16 */
    MOVE_ROWS(PF3, 0x6f, 0x7f, W0, 4, 0),                            /* vmovdqu32 */
    MOVE_ROWS(PF3, 0x6f, 0x7f, W1, 8, 0),                            /* vmovdqu64 */
    MOVE_ROWS(P66, 0x6f, 0x7f, W0, 4, ALIGNED),                      /* vmovdqa32 */
    MOVE_ROWS(P66, 0x6f, 0x7f, W1, 8, ALIGNED),                      /* vmovdqa64 */
    {EVEX, M0F, PNONE, 0x2b, W0, OP_STORE, 4, 0, 16, ALIGNED | MEM}, /* vmovntps */
    {EVEX, M0F, P66, 0x2b, W1, OP_STORE, 8, 0, 16, ALIGNED | MEM},   /* vmovntpd */
    {EVEX, M0F, P66, 0xe7, W0, OP_STORE, 4, 0, 16, ALIGNED | MEM},   /* vmovntdq */
    {EVEX, M0F38, P66, 0x2a, W0, OP_LOAD, 4, 0, 16, ALIGNED | MEM},  /* vmovntdqa */

    BITWISE_ROWS(0xdb, OP_AND), /* vpandd, vpandq */
    BITWISE_ROWS(0xdf, OP_ANDN),
    BITWISE_ROWS(0xeb, OP_OR),
    BITWISE_ROWS(0xef, OP_XOR),
    FLOAT_BITWISE_ROWS(0x54, OP_AND), /* vandps, vandpd */
    FLOAT_BITWISE_ROWS(0x55, OP_ANDN),
    FLOAT_BITWISE_ROWS(0x56, OP_OR),
    FLOAT_BITWISE_ROWS(0x57, OP_XOR),
    {EVEX, M0F3A, P66, 0x25, W0, OP_TERNARY, 4, 0, 16, BITWISE | IMM}, /* vpternlogd */
    {EVEX, M0F3A, P66, 0x25, W1, OP_TERNARY, 8, 0, 16, BITWISE | IMM},
    {EVEX, M0F38, P66, 0x66, W0, OP_BLEND, 1, 0, 16, MASK | ZERO | VVVV | BW}, /* vpblendmb */
    {EVEX, M0F38, P66, 0x66, W1, OP_BLEND, 2, 0, 16, MASK | ZERO | VVVV | BW},
    {EVEX, M0F38, P66, 0x64, W0, OP_BLEND, 4, 0, 16, BITWISE},
    {EVEX, M0F38, P66, 0x64, W1, OP_BLEND, 8, 0, 16, BITWISE},
    {EVEX, M0F3A, P66, 0x03, W0, OP_ALIGN, 4, 0, 16, BITWISE | IMM}, /* valignd */
    {EVEX, M0F3A, P66, 0x03, W1, OP_ALIGN, 8, 0, 16, BITWISE | IMM},

    COMPARE_ROWS(0x3f, 0x1f, OP_COMPARE),       /* vpcmpb, -w, -d, -q */
    COMPARE_ROWS(0x3e, 0x1e, OP_COMPARE_U),     /* vpcmpub, ... */
    COMPARE_FIXED_ROWS(0x74, 0x29, OP_EQUAL),   /* vpcmpeqb, ... */
    COMPARE_FIXED_ROWS(0x64, 0x37, OP_GREATER), /* vpcmpgtb, ... */
    TEST_ROWS(P66, OP_TEST),                    /* vptestmb, ... */
    TEST_ROWS(PF3, OP_TESTN),                   /* vptestnmb, ... */

    BROADCAST_ROW(0x78, W0, 1, 1, 16, BW), /* vpbroadcastb */
    BROADCAST_ROW(0x79, W0, 2, 2, 16, BW),
    BROADCAST_ROW(0x58, W0, 4, 4, 16, 0),
    BROADCAST_ROW(0x59, W1, 8, 8, 16, 0),
    BROADCAST_ROW(0x59, W0, 4, 8, 16, DQ),   /* vbroadcasti32x2 */
    BROADCAST_ROW(0x5a, W0, 4, 16, 32, MEM), /* vbroadcasti32x4 */
    BROADCAST_ROW(0x5a, W1, 8, 16, 32, MEM | DQ),
    BROADCAST_ROW(0x5b, W0, 4, 32, 64, MEM | DQ),
    BROADCAST_ROW(0x5b, W1, 8, 32, 64, MEM),
    BROADCAST_ROW(0x18, W0, 4, 4, 16, 0), /* vbroadcastss */
    BROADCAST_ROW(0x19, W1, 8, 8, 32, 0),
    BROADCAST_ROW(0x19, W0, 4, 8, 32, DQ), /* vbroadcastf32x2 */
    BROADCAST_ROW(0x1a, W0, 4, 16, 32, MEM),
    BROADCAST_ROW(0x1a, W1, 8, 16, 32, MEM | DQ),
    BROADCAST_ROW(0x1b, W0, 4, 32, 64, MEM | DQ),
    BROADCAST_ROW(0x1b, W1, 8, 32, 64, MEM),
    {EVEX, M0F38, P66, 0x7a, W0, OP_BROADCAST_GPR, 1, 0, 16, MOVE | REG | BW}, /* vpbroadcastb from r32 */
    {EVEX, M0F38, P66, 0x7b, W0, OP_BROADCAST_GPR, 2, 0, 16, MOVE | REG | BW},
    {EVEX, M0F38, P66, 0x7c, W0, OP_BROADCAST_GPR, 4, 0, 16, MOVE | REG},
    {EVEX, M0F38, P66, 0x7c, W1, OP_BROADCAST_GPR, 8, 0, 16, MOVE | REG},

    {EVEX, M0F, P66, 0x6e, W0, OP_FROM_GPR, 4, 4, 16, SCALAR}, /* vmovd */
    {EVEX, M0F, P66, 0x6e, W1, OP_FROM_GPR, 8, 8, 16, SCALAR}, /* vmovq */
    {EVEX, M0F, P66, 0x7e, W0, OP_TO_GPR, 4, 4, 16, SCALAR},
    {EVEX, M0F, P66, 0x7e, W1, OP_TO_GPR, 8, 8, 16, SCALAR},
    {EVEX, M0F, PF3, 0x7e, W1, OP_LOAD, 8, 8, 16, SCALAR},
    {EVEX, M0F, P66, 0xd6, W1, OP_STORE, 8, 8, 16, SCALAR},

    SUBVECTOR_ROWS(0x39, OP_EXTRACT, 0),   /* vextracti32x4, -64x2, -32x8, -64x4 */
    SUBVECTOR_ROWS(0x19, OP_EXTRACT, 0),   /* vextractf32x4, ... */
    SUBVECTOR_ROWS(0x38, OP_INSERT, VVVV), /* vinserti32x4, ... */
    SUBVECTOR_ROWS(0x18, OP_INSERT, VVVV), /* vinsertf32x4, ... */

    {EVEX, M0F38, PF3, 0x28, W0, OP_MASK_TO_VECTOR, 1, 0, 16, REG | BW}, /* vpmovm2b */
    {EVEX, M0F38, PF3, 0x28, W1, OP_MASK_TO_VECTOR, 2, 0, 16, REG | BW},
    {EVEX, M0F38, PF3, 0x38, W0, OP_MASK_TO_VECTOR, 4, 0, 16, REG | DQ},
    {EVEX, M0F38, PF3, 0x38, W1, OP_MASK_TO_VECTOR, 8, 0, 16, REG | DQ},
    {EVEX, M0F38, PF3, 0x29, W0, OP_VECTOR_TO_MASK, 1, 0, 16, REG | BW}, /* vpmovb2m */
    {EVEX, M0F38, PF3, 0x29, W1, OP_VECTOR_TO_MASK, 2, 0, 16, REG | BW},
    {EVEX, M0F38, PF3, 0x39, W0, OP_VECTOR_TO_MASK, 4, 0, 16, REG | DQ},
    {EVEX, M0F38, PF3, 0x39, W1, OP_VECTOR_TO_MASK, 8, 0, 16, REG | DQ},

    K_ROWS(0x90, OP_KMOV, 0, 0),
    K_ROWS(0x91, OP_KMOV_STORE, 0, MEM),
    K_GPR_ROWS(0x92, OP_KMOV_FROM_GPR),
    K_GPR_ROWS(0x93, OP_KMOV_TO_GPR),
    K_ROWS(0x41, OP_KAND, 0, REG | VVVV | L1),
    K_ROWS(0x42, OP_KANDN, 0, REG | VVVV | L1),
    K_ROWS(0x45, OP_KOR, 0, REG | VVVV | L1),
    K_ROWS(0x46, OP_KXNOR, 0, REG | VVVV | L1),
    K_ROWS(0x47, OP_KXOR, 0, REG | VVVV | L1),
    K_ROWS(0x4a, OP_KADD, DQ, REG | VVVV | L1),
    {VEX, M0F, P66, 0x4b, W0, OP_KUNPACK, 1, 0, 0, REG | VVVV | L1},        /* kunpckbw */
    {VEX, M0F, PNONE, 0x4b, W0, OP_KUNPACK, 2, 0, 0, REG | VVVV | L1 | BW}, /* kunpckwd */
    {VEX, M0F, PNONE, 0x4b, W1, OP_KUNPACK, 4, 0, 0, REG | VVVV | L1 | BW}, /* kunpckdq */
    K_ROWS(0x44, OP_KNOT, 0, REG),
    K_ROWS(0x98, OP_KORTEST, 0, REG),
    K_ROWS(0x99, OP_KTEST, DQ, REG),
    K_SHIFT_ROWS(0x30, OP_KSHIFT_RIGHT),
    K_SHIFT_ROWS(0x32, OP_KSHIFT_LEFT),
};

/* Registers. */

struct registers {
  uint8_t zmm[32][ZMM]; /* of 0-15, the part the CPU has is what was last seen there */
  uint64_t k[8];
  unsigned long emulated;
  unsigned features;
};

/* Static TLS: reaching a dynamic one may allocate, which a handler must not. */
static _Thread_local struct registers soft __attribute__((tls_model("initial-exec")));

/* The interrupted program's registers in the signal frame. */
struct frame {
  greg_t *gpr;
  uint8_t *xmm, *ymm_high; /* ymm_high is NULL on a CPU without AVX, whose registers are 16 bytes */
  uint64_t *present;       /* XSTATE_BV; NULL when only the legacy area was saved */
};

enum { PRESENT_SSE = 2, PRESENT_AVX = 4 };

static unsigned ymm_offset;

static void copy(volatile uint8_t *to, const volatile uint8_t *from, unsigned n) {
  while (n--)
    *to++ = *from++;
}

static void clear(volatile uint8_t *to, unsigned n) {
  while (n--)
    *to++ = 0;
}

static void read_part(const struct frame *f, const uint8_t *part, uint64_t bit, unsigned n, uint8_t *to) {
  /* A component that is not present holds its initial value, zero, whatever the bytes say. */
  if (f->present && !(*f->present & bit))
    clear(to, 16);
  else
    copy(to, part + 16 * n, 16);
}

static void write_part(const struct frame *f, uint8_t *part, uint64_t bit, unsigned n, const uint8_t *from) {
  if (f->present && !(*f->present & bit)) {
    clear(part, 16 * 16);
    *f->present |= bit;
  }
  copy(part + 16 * n, from, 16);
}

static void read_zmm(const struct frame *f, unsigned n, uint8_t *to) {
  if (n < 16) {
    uint8_t low[32];
    unsigned size = f->ymm_high ? 32 : 16;
    bool changed = false;

    read_part(f, f->xmm, PRESENT_SSE, n, low);
    if (f->ymm_high)
      read_part(f, f->ymm_high, PRESENT_AVX, n, low + 16);
    for (unsigned i = 0; i < size; i++)
      changed |= low[i] != soft.zmm[n][i];
    /* A VEX instruction wrote the register since, and with that cleared the rest. */
    if (changed) {
      copy(soft.zmm[n], low, size);
      clear(soft.zmm[n] + size, ZMM - size);
    }
  }
  copy(to, soft.zmm[n], ZMM);
}

/* EVEX instructions clear the register above the vector length. */
static void write_zmm(const struct frame *f, unsigned n, const uint8_t *from, unsigned size) {
  copy(soft.zmm[n], from, size);
  clear(soft.zmm[n] + size, ZMM - size);
  if (n < 16) {
    write_part(f, f->xmm, PRESENT_SSE, n, soft.zmm[n]);
    if (f->ymm_high)
      write_part(f, f->ymm_high, PRESENT_AVX, n, soft.zmm[n] + 16);
  }
}

static greg_t *gpr(const struct frame *f, unsigned n) {
  static const uint8_t index[16] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
  };

  return &f->gpr[index[n]];
}

static uint64_t low_bits(unsigned n) { return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0; }

static uint64_t get(const uint8_t *vector, unsigned i, unsigned size) {
  uint64_t value = 0;

  for (unsigned b = 0; b < size; b++)
    value |= (uint64_t)vector[i * size + b] << 8 * b;
  return value;
}

static void put(volatile uint8_t *vector, unsigned i, unsigned size, uint64_t value) {
  for (unsigned b = 0; b < size; b++)
    vector[i * size + b] = (uint8_t)(value >> 8 * b);
}

/* Memory of the interrupted program. */

static uint8_t load_byte(uint64_t address) {
  uint8_t value;

  __asm__ volatile("movb (%1), %0" : "=q"(value) : "r"(address) : "memory");
  return value;
}

static void store_byte(uint64_t address, uint8_t value) {
  __asm__ volatile("movb %0, (%1)" : : "q"(value), "r"(address) : "memory");
}

/* Fault where a store would, changing nothing, not even under the eyes of another thread. */
static void probe_store(uint64_t address) { __asm__ volatile("lock; orb $0, (%0)" : : "r"(address) : "memory", "cc"); }

/* A non-canonical address is the one way to a general protection fault that needs no privilege. */
static void general_protection(void) { load_byte((uint64_t)1 << 63); }

static void load_lanes(uint64_t address, uint8_t *to, unsigned lanes, unsigned size, uint64_t mask) {
  for (unsigned i = 0; i < lanes * size; i++)
    put(to, i, 1, mask >> i / size & 1 ? load_byte(address + i) : 0);
}

static void store_lanes(uint64_t address, const uint8_t *from, unsigned lanes, unsigned size, uint64_t mask) {
  uint64_t page = ~(uint64_t)0;

  for (unsigned i = 0; i < lanes * size; i++) {
    if (mask >> i / size & 1 && (address + i) >> 12 != page) {
      page = (address + i) >> 12;
      probe_store(address + i);
    }
  }
  for (unsigned i = 0; i < lanes * size; i++) {
    if (mask >> i / size & 1)
      store_byte(address + i, from[i]);
  }
}

/* Decoding. */

struct insn {
  const struct row *row;
  const uint8_t *next; /* the byte to decode next, in the end that of the next instruction */
  uint8_t encoding, map, prefix, opcode;
  bool w, x, b; /* prefix bits, true where they extend a number */
  bool zeroing, broadcast, memory;
  uint8_t length; /* of the vector in bytes; for VEX just the L bit */
  uint8_t reg, rm, vvvv, mask;
  uint8_t gpr_rm;
  uint8_t immediate;
  uint64_t address;
};

static uint64_t fetch(struct insn *in, unsigned bytes) {
  uint64_t value = 0;

  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)*in->next++ << 8 * i;
  return value;
}

static int64_t fetch_signed(struct insn *in, unsigned bytes) {
  unsigned unused = 64 - 8 * bytes;

  return (int64_t)(fetch(in, bytes) << unused) >> unused;
}

static bool decode_prefix(struct insn *in) {
  uint8_t first = (uint8_t)fetch(in, 1), p0, p1, p2;

  in->reg = 0;
  in->rm = 0;
  in->mask = 0;
  in->zeroing = false;
  in->broadcast = false;
  switch (first) {
  case 0xc5:
    p1 = (uint8_t)fetch(in, 1);
    p0 = (uint8_t)((p1 & 0x80) | 0x60 | M0F);
    p1 &= 0x7f;
    break;
  case 0xc4:
    p0 = (uint8_t)fetch(in, 1);
    p1 = (uint8_t)fetch(in, 1);
    break;
  case 0x62:
    p0 = (uint8_t)fetch(in, 1);
    p1 = (uint8_t)fetch(in, 1);
    p2 = (uint8_t)fetch(in, 1);
    if (p0 & 0x08 || !(p1 & 0x04) || (p2 & 0x60) == 0x60)
      return false;
    in->encoding = EVEX;
    in->map = p0 & 7;
    in->reg = (uint8_t)((p0 & 0x80 ? 0 : 8) | (p0 & 0x10 ? 0 : 16));
    in->vvvv = (uint8_t)((~p1 >> 3 & 15) | (p2 & 0x08 ? 0 : 16));
    in->length = (uint8_t)(16 << (p2 >> 5 & 3));
    in->zeroing = p2 & 0x80;
    in->broadcast = p2 & 0x10;
    in->mask = p2 & 7;
    goto common;
  default:
    return false;
  }
  in->encoding = VEX;
  in->map = p0 & 31;
  in->reg = p0 & 0x80 ? 0 : 8;
  in->vvvv = ~p1 >> 3 & 15;
  in->length = p1 >> 2 & 1;
common:
  in->x = !(p0 & 0x40);
  in->b = !(p0 & 0x20);
  in->w = p1 & 0x80;
  in->prefix = p1 & 3;
  in->opcode = (uint8_t)fetch(in, 1);
  return true;
}

static const struct row *find_row(const struct insn *in) {
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *row = &rows[i];

    if (row->opcode == in->opcode && row->encoding == in->encoding && row->map == in->map &&
        row->prefix == in->prefix && (row->w == WIG || row->w == in->w))
      return row;
  }
  return NULL;
}

static void decode_address(const struct frame *f, struct insn *in, unsigned mod, unsigned rm) {
  /* Compressed displacement: a byte counts in units of the memory operand, in EVEX encoding only. */
  int64_t unit = in->encoding == VEX ? 1 : in->broadcast ? in->row->element : in->row->mem ? in->row->mem : in->length;
  bool next_relative = false;

  in->address = 0;
  if (rm == 4) {
    unsigned sib = (unsigned)fetch(in, 1);
    unsigned index = (sib >> 3 & 7) | (in->x ? 8 : 0);

    if (index != 4)
      in->address += (uint64_t)*gpr(f, index) << (sib >> 6);
    if ((sib & 7) == 5 && mod == 0)
      mod = 4;
    else
      in->address += (uint64_t)*gpr(f, (sib & 7) | (in->b ? 8 : 0));
  } else if (rm == 5 && mod == 0) {
    mod = 4;
    next_relative = true;
  } else {
    in->address += (uint64_t)*gpr(f, rm | (in->b ? 8 : 0));
  }
  if (mod == 1)
    in->address += (uint64_t)(fetch_signed(in, 1) * unit);
  else if (mod >= 2)
    in->address += (uint64_t)fetch_signed(in, 4);
  if (next_relative)
    in->address += (uint64_t)(uintptr_t)in->next + (in->row->flags & IMM ? 1 : 0);
}

/* What the hardware refuses is refused here, so that a test does not pass with an encoding that faults elsewhere. */
static bool is_valid(const struct insn *in) {
  unsigned flags = in->row->flags;

  if (in->memory ? flags & REG : flags & MEM)
    return false;
  if (!(flags & VVVV) && in->vvvv)
    return false;
  if (in->encoding == VEX) {
    bool reg_is_gpr = in->row->op == OP_KMOV_TO_GPR, rm_is_gpr = in->row->op == OP_KMOV_FROM_GPR;

    return in->length == !!(flags & L1) && in->vvvv < 8 && (reg_is_gpr || in->reg < 8) &&
           (in->memory || rm_is_gpr || !in->b);
  }
  if (in->length < in->row->shortest || (flags & SCALAR && in->length != 16))
    return false;
  if (in->broadcast && (!in->memory || !(flags & BCAST)))
    return false;
  if (in->mask && !(flags & MASK))
    return false;
  if (in->zeroing) {
    bool stores = in->memory && (in->row->op == OP_STORE || in->row->op == OP_EXTRACT);

    if (!in->mask || !(flags & ZERO) || stores)
      return false;
  }
  switch (in->row->op) {
  case OP_COMPARE:
  case OP_COMPARE_U:
  case OP_EQUAL:
  case OP_GREATER:
  case OP_TEST:
  case OP_TESTN:
  case OP_VECTOR_TO_MASK:
    return in->reg < 8;
  case OP_MASK_TO_VECTOR:
    return in->rm < 8;
  default:
    return true;
  }
}

static bool decode(const struct frame *f, struct insn *in) {
  const uint8_t *start = (const uint8_t *)(uintptr_t)f->gpr[REG_RIP];
  unsigned modrm;

  in->next = start;
  /* Segment overrides without effect, which assemblers use as padding. */
  while (*in->next == 0x26 || *in->next == 0x2e || *in->next == 0x36 || *in->next == 0x3e) {
    if (++in->next - start > 8)
      return false;
  }
  if (!decode_prefix(in))
    return false;
  in->row = find_row(in);
  if (!in->row)
    return false;
  modrm = (unsigned)fetch(in, 1);
  in->reg |= modrm >> 3 & 7;
  in->memory = modrm < 0xc0;
  if (in->memory) {
    decode_address(f, in, modrm >> 6, modrm & 7);
  } else {
    in->gpr_rm = (uint8_t)((modrm & 7) | (in->b ? 8 : 0));
    in->rm = in->encoding == VEX ? modrm & 7 : (uint8_t)(in->gpr_rm | (in->x ? 16 : 0));
  }
  in->immediate = in->row->flags & IMM ? (uint8_t)fetch(in, 1) : 0;
  return in->next - start <= 15 && is_valid(in);
}

/* Execution. */

static uint64_t active(const struct insn *in, unsigned lanes) {
  return (in->mask ? soft.k[in->mask] : ~(uint64_t)0) & low_bits(lanes);
}

static void check_alignment(const struct insn *in) {
  if (in->row->flags & ALIGNED && in->address % in->length)
    general_protection();
}

/* The rm operand; of memory, only the elements in mask are read. */
static void read_rm(const struct frame *f, const struct insn *in, uint8_t *to, uint64_t mask) {
  unsigned size = in->row->element, lanes = in->length / size;

  if (!in->memory) {
    read_zmm(f, in->rm, to);
  } else if (in->broadcast) {
    uint8_t element[8];

    load_lanes(in->address, element, 1, size, mask != 0);
    for (unsigned i = 0; i < lanes; i++)
      copy(to + i * size, element, size);
  } else {
    load_lanes(in->address, to, lanes, size, mask);
  }
}

/* Write a vector of lanes elements to a register under the mask, with merging or zeroing. */
static void write_masked(const struct frame *f, const struct insn *in, unsigned n, const uint8_t *from,
                         unsigned lanes) {
  unsigned size = in->row->element;
  uint64_t mask = active(in, lanes);
  uint8_t result[ZMM];

  read_zmm(f, n, result);
  for (unsigned i = 0; i < lanes; i++) {
    if (mask >> i & 1)
      copy(result + i * size, from + i * size, size);
    else if (in->zeroing)
      clear(result + i * size, size);
  }
  write_zmm(f, n, result, lanes * size);
}

static void execute_load(const struct frame *f, const struct insn *in) {
  unsigned bytes = in->row->mem ? in->row->mem : in->length, lanes = bytes / in->row->element;
  uint8_t value[ZMM];

  if (in->memory) {
    check_alignment(in);
    load_lanes(in->address, value, lanes, in->row->element, active(in, lanes));
  } else {
    read_zmm(f, in->rm, value);
  }
  write_masked(f, in, in->reg, value, lanes);
}

static void execute_store(const struct frame *f, const struct insn *in) {
  unsigned bytes = in->row->mem ? in->row->mem : in->length, lanes = bytes / in->row->element;
  uint8_t value[ZMM];

  read_zmm(f, in->reg, value);
  if (in->memory) {
    check_alignment(in);
    store_lanes(in->address, value, lanes, in->row->element, active(in, lanes));
  } else {
    write_masked(f, in, in->rm, value, lanes);
  }
}

static uint64_t ternary(uint8_t table, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result = 0;

  for (unsigned row = 0; row < 8; row++) {
    if (table >> row & 1)
      result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}

static void execute_bitwise(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element, lanes = in->length / size;
  uint64_t mask = active(in, lanes);
  uint8_t old[ZMM], left[ZMM], right[ZMM];

  read_zmm(f, in->reg, old);
  read_zmm(f, in->vvvv, left);
  read_rm(f, in, right, mask);
  for (unsigned i = 0; i < lanes; i++) {
    uint64_t a = get(left, i, size), b = get(right, i, size), result;

    switch (in->row->op) {
    case OP_AND:
      result = a & b;
      break;
    case OP_ANDN:
      result = ~a & b;
      break;
    case OP_OR:
      result = a | b;
      break;
    case OP_XOR:
      result = a ^ b;
      break;
    default:
      result = ternary(in->immediate, get(old, i, size), a, b);
      break;
    }
    put(right, i, size, result);
  }
  write_masked(f, in, in->reg, right, lanes);
}

static void execute_blend(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element, lanes = in->length / size;
  uint64_t mask = active(in, lanes);
  uint8_t result[ZMM], right[ZMM];

  read_zmm(f, in->vvvv, result);
  read_rm(f, in, right, mask);
  for (unsigned i = 0; i < lanes; i++) {
    if (mask >> i & 1)
      copy(result + i * size, right + i * size, size);
    else if (in->zeroing)
      clear(result + i * size, size);
  }
  write_zmm(f, in->reg, result, in->length);
}

static void execute_align(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element, lanes = in->length / size, shift = in->immediate & (lanes - 1);
  uint8_t left[ZMM], right[ZMM], result[ZMM];

  read_zmm(f, in->vvvv, left);
  /* Elements move, so a masked-out one does not keep its place in memory from being read. */
  read_rm(f, in, right, ~(uint64_t)0);
  for (unsigned i = 0; i < lanes; i++) {
    unsigned from = i + shift;

    copy(result + i * size, from < lanes ? right + from * size : left + (from - lanes) * size, size);
  }
  write_masked(f, in, in->reg, result, lanes);
}

static bool compare(unsigned predicate, bool equal, bool less) {
  switch (predicate & 3) {
  case 0:
    return equal ^ (predicate >> 2);
  case 1:
    return less ^ (predicate >> 2);
  case 2:
    return (less || equal) ^ (predicate >> 2);
  default:
    return predicate >> 2;
  }
}

static void execute_compare(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element, lanes = in->length / size;
  uint64_t mask = active(in, lanes), sign = (uint64_t)1 << (8 * size - 1), result = 0;
  uint8_t left[ZMM], right[ZMM];

  read_zmm(f, in->vvvv, left);
  read_rm(f, in, right, mask);
  for (unsigned i = 0; i < lanes; i++) {
    uint64_t a = get(left, i, size), b = get(right, i, size);
    bool holds;

    switch (in->row->op) {
    case OP_COMPARE:
      holds = compare(in->immediate & 7, a == b, (a ^ sign) < (b ^ sign));
      break;
    case OP_COMPARE_U:
      holds = compare(in->immediate & 7, a == b, a < b);
      break;
    case OP_EQUAL:
      holds = a == b;
      break;
    case OP_GREATER:
      holds = (a ^ sign) > (b ^ sign);
      break;
    case OP_TEST:
      holds = (a & b) != 0;
      break;
    default:
      holds = (a & b) == 0;
      break;
    }
    result |= (uint64_t)holds << i;
  }
  soft.k[in->reg] = result & mask;
}

static void execute_broadcast(const struct frame *f, const struct insn *in) {
  unsigned lanes = in->length / in->row->element, unit = in->row->mem ? in->row->mem : in->row->element;
  uint8_t source[ZMM], result[ZMM];

  if (in->row->op == OP_BROADCAST_GPR) {
    put(source, 0, 8, (uint64_t)*gpr(f, in->gpr_rm));
  } else if (in->memory) {
    uint64_t mask = active(in, lanes), wanted = 0;
    unsigned repeat = unit / in->row->element;

    for (unsigned i = 0; i < lanes; i++)
      wanted |= (mask >> i & 1) << i % repeat;
    load_lanes(in->address, source, repeat, in->row->element, wanted);
  } else {
    read_zmm(f, in->rm, source);
  }
  for (unsigned i = 0; i < in->length; i += unit)
    copy(result + i, source, unit);
  write_masked(f, in, in->reg, result, lanes);
}

static void execute_scalar(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element;
  uint8_t value[ZMM];

  if (in->row->op == OP_FROM_GPR) {
    if (in->memory)
      load_lanes(in->address, value, 1, size, 1);
    else
      put(value, 0, size, (uint64_t)*gpr(f, in->gpr_rm));
    write_zmm(f, in->reg, value, size);
  } else {
    read_zmm(f, in->reg, value);
    if (in->memory)
      store_lanes(in->address, value, 1, size, 1);
    else
      *gpr(f, in->gpr_rm) = (greg_t)get(value, 0, size);
  }
}

/* Neither suppresses faults: the whole memory operand is accessible or the instruction faults. */
static void execute_subvector(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element, part = in->row->mem, lanes = part / size;
  unsigned place = in->immediate % (in->length / part) * part;
  uint8_t value[ZMM];

  if (in->row->op == OP_INSERT) {
    uint8_t source[ZMM];

    read_zmm(f, in->vvvv, value);
    if (in->memory)
      load_lanes(in->address, source, lanes, size, ~(uint64_t)0);
    else
      read_zmm(f, in->rm, source);
    copy(value + place, source, part);
    write_masked(f, in, in->reg, value, in->length / size);
    return;
  }
  read_zmm(f, in->reg, value);
  if (in->memory) {
    probe_store(in->address);
    probe_store(in->address + part - 1);
    store_lanes(in->address, value + place, lanes, size, active(in, lanes));
  } else {
    write_masked(f, in, in->rm, value + place, lanes);
  }
}

static void execute_mask_vector(const struct frame *f, const struct insn *in) {
  unsigned size = in->row->element, lanes = in->length / size;
  uint8_t value[ZMM];

  if (in->row->op == OP_MASK_TO_VECTOR) {
    uint64_t k = soft.k[in->rm];

    for (unsigned i = 0; i < lanes; i++)
      put(value, i, size, k >> i & 1 ? ~(uint64_t)0 : 0);
    write_zmm(f, in->reg, value, in->length);
  } else {
    uint64_t k = 0;

    read_zmm(f, in->rm, value);
    for (unsigned i = 0; i < lanes; i++)
      k |= (uint64_t)(value[i * size + size - 1] >> 7) << i;
    soft.k[in->reg] = k;
  }
}

static void set_flags(const struct frame *f, bool zero, bool carry) {
  enum { CF = 1, PF = 4, AF = 16, ZF = 64, SF = 128, OF = 2048 };

  f->gpr[REG_EFL] &= ~(greg_t)(CF | PF | AF | ZF | SF | OF);
  f->gpr[REG_EFL] |= (zero ? ZF : 0) | (carry ? CF : 0);
}

static void execute_opmask(const struct frame *f, const struct insn *in) {
  unsigned bits = 8 * in->row->element;
  uint64_t all = low_bits(bits), a, b, result;
  uint8_t bytes[8];

  if (in->row->op == OP_KMOV_TO_GPR) {
    *gpr(f, in->reg) = (greg_t)(soft.k[in->rm] & all);
    return;
  }
  a = soft.k[in->vvvv] & all;
  b = soft.k[in->rm] & all;
  switch (in->row->op) {
  case OP_KMOV:
    if (in->memory) {
      load_lanes(in->address, bytes, 1, in->row->element, 1);
      b = get(bytes, 0, in->row->element);
    }
    result = b;
    break;
  case OP_KMOV_STORE:
    put(bytes, 0, 8, soft.k[in->reg]);
    store_lanes(in->address, bytes, 1, in->row->element, 1);
    return;
  case OP_KMOV_FROM_GPR:
    result = (uint64_t)*gpr(f, in->gpr_rm);
    break;
  case OP_KAND:
    result = a & b;
    break;
  case OP_KANDN:
    result = ~a & b;
    break;
  case OP_KOR:
    result = a | b;
    break;
  case OP_KXOR:
    result = a ^ b;
    break;
  case OP_KXNOR:
    result = ~(a ^ b);
    break;
  case OP_KADD:
    result = a + b;
    break;
  case OP_KUNPACK:
    soft.k[in->reg] = a << bits | b;
    return;
  case OP_KNOT:
    result = ~b;
    break;
  case OP_KORTEST:
    a = soft.k[in->reg] & all;
    set_flags(f, (a | b) == 0, (a | b) == all);
    return;
  case OP_KTEST:
    a = soft.k[in->reg] & all;
    set_flags(f, (a & b) == 0, (~a & b) == 0);
    return;
  case OP_KSHIFT_RIGHT:
    result = in->immediate < bits ? b >> in->immediate : 0;
    break;
  default:
    result = in->immediate < bits ? b << in->immediate : 0;
    break;
  }
  soft.k[in->reg] = result & all;
}

static void execute(const struct frame *f, const struct insn *in) {
  switch (in->row->op) {
  case OP_LOAD:
    execute_load(f, in);
    break;
  case OP_STORE:
    execute_store(f, in);
    break;
  case OP_AND:
  case OP_ANDN:
  case OP_OR:
  case OP_XOR:
  case OP_TERNARY:
    execute_bitwise(f, in);
    break;
  case OP_BLEND:
    execute_blend(f, in);
    break;
  case OP_ALIGN:
    execute_align(f, in);
    break;
  case OP_COMPARE:
  case OP_COMPARE_U:
  case OP_EQUAL:
  case OP_GREATER:
  case OP_TEST:
  case OP_TESTN:
    execute_compare(f, in);
    break;
  case OP_BROADCAST:
  case OP_BROADCAST_GPR:
    execute_broadcast(f, in);
    break;
  case OP_FROM_GPR:
  case OP_TO_GPR:
    execute_scalar(f, in);
    break;
  case OP_EXTRACT:
  case OP_INSERT:
    execute_subvector(f, in);
    break;
  case OP_MASK_TO_VECTOR:
  case OP_VECTOR_TO_MASK:
    execute_mask_vector(f, in);
    break;
  default:
    execute_opmask(f, in);
    break;
  }
}

static unsigned needed_features(const struct insn *in) {
  unsigned flags = in->row->flags, features = AVX512_F;

  features |= flags & BW ? AVX512_BW : 0;
  features |= flags & DQ ? AVX512_DQ : 0;
  if (in->encoding == EVEX && in->length < ZMM && !(flags & SCALAR))
    features |= AVX512_VL;
  return features;
}

/* The handler. */

static struct sigaction previous;

static void find_registers(struct frame *f, ucontext_t *context) {
  /* The layout of the XSAVE area with the kernel's marks in the bytes that hardware leaves to software. */
  enum { XMM = 160, MAGIC = 464, COMPONENTS = 472, HEADER = 512 };
  uint8_t *area = (uint8_t *)context->uc_mcontext.fpregs;

  f->gpr = context->uc_mcontext.gregs;
  f->xmm = area + XMM;
  f->ymm_high = NULL;
  f->present = NULL;
  if (get(area + MAGIC, 0, 4) == 0x46505853) {
    f->present = (uint64_t *)(void *)(area + HEADER);
    if (get(area + COMPONENTS, 0, 8) & PRESENT_AVX)
      f->ymm_high = area + ymm_offset;
  }
}

static void pass_on(int signal_number, siginfo_t *info, void *context) {
  static const struct sigaction fallback; /* SIG_DFL */

  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal_number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal_number);
  } else if (info->si_code > 0) {
    /* The instruction runs again on return and ends the process, as it does when the signal is ignored. */
    sigaction(signal_number, &fallback, NULL);
  } else if (previous.sa_handler == SIG_DFL) {
    sigaction(signal_number, &fallback, NULL);
    raise(signal_number);
  }
}

static void on_illegal_instruction(int signal_number, siginfo_t *info, void *context) {
  struct frame f;
  struct insn in;

  find_registers(&f, context);
  /* A code of 0 or less is from kill() and the like, where the instruction has done nothing. */
  if (info->si_code <= 0 || !decode(&f, &in)) {
    pass_on(signal_number, info, context);
    return;
  }
  execute(&f, &in);
  f.gpr[REG_RIP] = (greg_t)(uintptr_t)in.next;
  soft.emulated++;
  soft.features |= needed_features(&in);
}

/* CPUID leaf 7's bits for avx512f, and for avx512dq, avx512bw and avx512vl with it. */
enum { HAS_F = 1 << 16 };
static const unsigned HAS_ALL = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;

static unsigned usable_features(void) {
  unsigned a, b, c, d, xcr0_low, xcr0_high;

  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  __asm__("xgetbv" : "=a"(xcr0_low), "=d"(xcr0_high) : "c"(0));
  /* SSE, AVX, opmask, upper halves of zmm0-15, all of zmm16-31 */
  if ((xcr0_low & 0xe6) != 0xe6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return 0;
  return b & HAS_ALL;
}

int avx512_native(void) { return usable_features() == HAS_ALL; }

int avx512_emulate(void) {
  static struct sigaction action; /* static, as clearing it may become a call to memset */
  static bool installed;
  unsigned a, c, d, has = usable_features();

  if (installed || has == HAS_ALL)
    return 0;
  if (has & HAS_F) {
    errno = ENOTSUP;
    return -1;
  }
  if (!__get_cpuid_count(0xd, 2, &a, &ymm_offset, &c, &d))
    ymm_offset = 0;
  action.sa_sigaction = on_illegal_instruction;
  /* Not deferred: a handler left by siglongjmp must not leave SIGILL blocked behind. */
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGILL, NULL, &previous) || sigaction(SIGILL, &action, NULL))
    return -1;
  installed = true;
  return 0;
}

unsigned long avx512_emulated(void) { return soft.emulated; }

unsigned avx512_features(void) {
  unsigned features = soft.features;

  soft.features = 0;
  return features;
}

const void *avx512_reg(unsigned zmm) { return zmm < 32 ? soft.zmm[zmm] : NULL; }

int avx512_set_reg(unsigned zmm, const void *bytes) {
  if (zmm < 16 || zmm >= 32)
    return -1;
  copy(soft.zmm[zmm], bytes, ZMM);
  return 0;
}

uint64_t avx512_kreg(unsigned k) { return k < 8 ? soft.k[k] : 0; }

int avx512_set_kreg(unsigned k, uint64_t value) {
  if (k >= 8)
    return -1;
  soft.k[k] = value;
  return 0;
}
