/* SPDX-License-Identifier: MIT */
/*
 * Check the AVX-512 emulator: every form in check_avx512_forms.S runs on random registers and memory, and the outcome,
 * down to the registers and bytes it must leave alone, is compared with a model that works from the instruction's text.
 * On a CPU with AVX-512 the same forms run natively, which checks the model, and with it the emulator, against the CPU.
 *
 * usage: check_avx512 [seed]; exit status 0 passed, 1 failed, 77 the CPU has a part of AVX-512 only.
 */
#define _GNU_SOURCE
#include "avx512.h"

#include <cpuid.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, AREA = 2 * PAGE, RUNS = 5 };

/* Shared with check_avx512_forms.S. */
struct machine {
  uint8_t zmm[32][64];
  uint64_t k[8];
  uint64_t gpr[16]; /* in the order of their encoding */
  uint64_t flags;
  const void *code;
  uint64_t caller;
  uint64_t native; /* nonzero to load and store zmm16-zmm31 and k0-k7 as well */
};

_Static_assert(offsetof(struct machine, k) == 2048, "K");
_Static_assert(offsetof(struct machine, gpr) == 2112, "GPR");
_Static_assert(offsetof(struct machine, flags) == 2240, "FLAGS");
_Static_assert(offsetof(struct machine, code) == 2248, "CODE");
_Static_assert(offsetof(struct machine, native) == 2264, "NATIVE");
_Static_assert(sizeof(struct machine) == 2272, "SIZE");

struct form {
  const void *code, *end;
  const char *text;
};

extern struct machine machine;
extern uint8_t form_area[];
extern const struct form form_table[], form_table_end[];
extern const char machine_return[];
void machine_run(void);
void emulated_load(const void *from);
void emulated_store(void *to);
void plain_load(const void *from);
void plain_store(void *to);
void masked_load(const void *from, uint64_t mask);
void masked_store(void *to, uint64_t mask);
void aligned_load(const void *from);
void reserved_encoding(const void *from);

static unsigned failures;

static void report(bool passed, const char *what) {
  printf("%s: %s\n", passed ? "pass" : "FAIL", what);
  failures += !passed;
}

static uint64_t random_state;

static uint64_t random_bits(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* Parsing an instruction. */

enum kind { VECTOR, OPMASK, GENERAL, IMMEDIATE, MEMORY };

struct operand {
  enum kind kind;
  unsigned n;      /* register number */
  unsigned size;   /* bytes of the register */
  int64_t value;   /* immediate or displacement */
  int base, index; /* registers, -1 for none */
  unsigned scale;
  bool fixed;      /* address is value in form_area */
  unsigned repeat; /* the N of {1toN}, else 0 */
  uint64_t address;
};

struct text {
  char name[32];
  unsigned operands;
  struct operand operand[4];
  unsigned mask;
  bool zeroing;
};

static const char *const gpr64[16] = {
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};
static const char *const gpr32[16] = {
    "eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
    "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d",
};

static _Noreturn void unparsable(const char *text) {
  printf("FAIL: the model cannot read \"%s\"\n", text);
  exit(1);
}

static int find_gpr(const char *const names[16], const char *name, size_t length) {
  for (int i = 0; i < 16; i++) {
    if (strlen(names[i]) == length && !memcmp(names[i], name, length))
      return i;
  }
  return -1;
}

static void parse_register(const char *text, const char **s, struct operand *o) {
  size_t length = strspn(*s, "abcdefghijklmnopqrstuvwxyz0123456789");

  if ((*s)[0] == 'k') {
    o->kind = OPMASK;
    o->n = (unsigned)atoi(*s + 1);
    o->size = 8;
  } else if (strchr("xyz", (*s)[0])) {
    o->kind = VECTOR;
    o->n = (unsigned)atoi(*s + 3);
    o->size = 16u << ((*s)[0] - 'x');
  } else {
    int n = find_gpr(gpr64, *s, length);

    o->kind = GENERAL;
    o->size = 8;
    if (n < 0) {
      o->size = 4;
      n = find_gpr(gpr32, *s, length);
    }
    if (n < 0)
      unparsable(text);
    o->n = (unsigned)n;
  }
  *s += length;
}

static int64_t parse_sum(const char **s) {
  int64_t sum = 0;

  for (;;) {
    char *end;

    if (!strncmp(*s, "form_area", 9)) {
      sum += (int64_t)(uintptr_t)form_area;
      *s += 9;
    } else {
      sum += strtoll(*s, &end, 0);
      *s = end;
    }
    if (**s != '+' && **s != '-')
      return sum;
    *s += **s == '+';
  }
}

static void parse_memory(const char *text, const char **s, struct operand *o) {
  o->kind = MEMORY;
  o->value = **s == '(' ? 0 : parse_sum(s);
  if (!strncmp(*s, "(%rip)", 6)) {
    o->fixed = true;
    *s += 6;
    return;
  }
  if (*(*s)++ != '(')
    unparsable(text);
  if (**s == '%') {
    struct operand reg;

    ++*s;
    parse_register(text, s, &reg);
    o->base = (int)reg.n;
  }
  if (**s == ',') {
    struct operand reg;

    *s += 2;
    parse_register(text, s, &reg);
    o->index = (int)reg.n;
    if (**s == ',') {
      o->scale = (unsigned)(*s)[1] - '0';
      *s += 2;
    }
  }
  if (*(*s)++ != ')')
    unparsable(text);
}

static void parse(const char *text, struct text *t) {
  const char *s = text;
  size_t length;

  memset(t, 0, sizeof *t);
  /* newer assemblers drop the blank behind it when they make a string of a macro's argument */
  if (!strncmp(s, "{evex}", 6)) {
    s += 6;
    s += strspn(s, " ");
  }
  length = strcspn(s, " ");
  if (length >= sizeof t->name)
    unparsable(text);
  memcpy(t->name, s, length);
  if (length > 2 && !strcmp(t->name + length - 2, ".s"))
    t->name[length - 2] = 0;
  s += length;
  while (*s) {
    struct operand *o;

    s += strspn(s, " ,");
    if (t->operands == 4)
      unparsable(text);
    o = &t->operand[t->operands++];
    o->base = -1;
    o->index = -1;
    o->scale = 1;
    if (*s == '$') {
      s++;
      o->kind = IMMEDIATE;
      o->value = parse_sum(&s);
    } else if (*s == '%') {
      s++;
      parse_register(text, &s, o);
    } else {
      parse_memory(text, &s, o);
    }
    for (; *s == '{'; s += strcspn(s, "}") + 1) {
      if (s[1] == '%')
        t->mask = (unsigned)s[3] - '0';
      else if (s[1] == 'z')
        t->zeroing = true;
      else
        o->repeat = (unsigned)atoi(s + 4);
    }
    if (*s && *s != ',')
      unparsable(text);
  }
}

/* The model: what each instruction does, element by element. */

enum op {
  MOVE,
  MOVE_ALIGNED,
  MOVE_LOW,
  AND,
  ANDN,
  OR,
  XOR,
  TERNARY,
  BLEND,
  ALIGN,
  COMPARE,
  COMPARE_UNSIGNED,
  EQUAL,
  GREATER,
  TEST,
  TESTN,
  BROADCAST,
  EXTRACT,
  INSERT,
  TO_VECTOR,
  TO_MASK,
  KMOVE,
  KAND,
  KANDN,
  KOR,
  KXOR,
  KXNOR,
  KADD,
  KUNPACK,
  KNOT,
  KORTEST,
  KTEST,
  KLEFT,
  KRIGHT,
};

/* The longest name that begins the mnemonic counts; the rest of the mnemonic says the size of an element. */
static const struct {
  const char *name;
  enum op op;
} ops[] = {
    {"vmovdqu", MOVE},
    {"vmovu", MOVE},
    {"vmovdqa", MOVE_ALIGNED},
    {"vmova", MOVE_ALIGNED},
    {"vmovntdq", MOVE_ALIGNED},
    {"vmovntdqa", MOVE_ALIGNED},
    {"vmovnt", MOVE_ALIGNED},
    {"vmov", MOVE_LOW},
    {"vpand", AND},
    {"vand", AND},
    {"vpandn", ANDN},
    {"vandn", ANDN},
    {"vpor", OR},
    {"vor", OR},
    {"vpxor", XOR},
    {"vxor", XOR},
    {"vpternlog", TERNARY},
    {"vpblendm", BLEND},
    {"valign", ALIGN},
    {"vpcmp", COMPARE},
    {"vpcmpu", COMPARE_UNSIGNED},
    {"vpcmpeq", EQUAL},
    {"vpcmpgt", GREATER},
    {"vptestm", TEST},
    {"vptestnm", TESTN},
    {"vpbroadcast", BROADCAST},
    {"vbroadcast", BROADCAST},
    {"vbroadcasti", BROADCAST},
    {"vbroadcastf", BROADCAST},
    {"vextracti", EXTRACT},
    {"vextractf", EXTRACT},
    {"vinserti", INSERT},
    {"vinsertf", INSERT},
    {"vpmovm2", TO_VECTOR},
    {"vpmov", TO_MASK},
    {"kmov", KMOVE},
    {"kand", KAND},
    {"kandn", KANDN},
    {"kor", KOR},
    {"kxor", KXOR},
    {"kxnor", KXNOR},
    {"kadd", KADD},
    {"kunpck", KUNPACK},
    {"knot", KNOT},
    {"kortest", KORTEST},
    {"ktest", KTEST},
    {"kshiftl", KLEFT},
    {"kshiftr", KRIGHT},
};

static const struct {
  const char *suffix;
  unsigned element, count;
} suffixes[] = {
    {"", 1, 1},     {"8", 1, 1},    {"16", 2, 1},   {"32", 4, 1},   {"64", 8, 1},  {"b", 1, 1},   {"w", 2, 1},
    {"d", 4, 1},    {"q", 8, 1},    {"ss", 4, 1},   {"ps", 4, 1},   {"sd", 8, 1},  {"pd", 8, 1},  {"32x2", 4, 2},
    {"32x4", 4, 4}, {"32x8", 4, 8}, {"64x2", 8, 2}, {"64x4", 8, 4}, {"b2m", 1, 1}, {"w2m", 2, 1}, {"d2m", 4, 1},
    {"q2m", 8, 1},  {"bw", 1, 1},   {"wd", 2, 1},   {"dq", 4, 1},
};

struct model {
  struct text text;
  enum op op;
  unsigned element; /* bytes */
  unsigned count;   /* elements of a part in extracts, inserts and broadcasts */
  unsigned lanes;
  const struct operand *memory;
  const struct machine *before;
  struct machine after;
  uint8_t area_before[AREA], area[AREA];
  bool faults, misaligned;
};

static void understand(const char *text, struct model *m) {
  size_t best = 0;
  const struct operand *last;

  parse(text, &m->text);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    size_t length = strlen(ops[i].name);
    const char *rest = m->text.name + length;

    if (length <= best || strncmp(m->text.name, ops[i].name, length))
      continue;
    for (size_t j = 0; j < sizeof suffixes / sizeof *suffixes; j++) {
      if (!strcmp(rest, suffixes[j].suffix)) {
        best = length;
        m->op = ops[i].op;
        m->element = suffixes[j].element;
        m->count = suffixes[j].count;
      }
    }
  }
  if (!best)
    unparsable(text);
  last = &m->text.operand[m->text.operands - 1];
  m->memory = NULL;
  for (unsigned i = 0; i < m->text.operands; i++) {
    if (m->text.operand[i].kind == MEMORY)
      m->memory = &m->text.operand[i];
  }
  /* The destination has the length, unless it is memory or an opmask; then the register before it has. */
  if (m->op == MOVE_LOW || m->op >= KMOVE)
    m->lanes = 1;
  else if (m->op == EXTRACT)
    m->lanes = m->count;
  else if (last->kind == VECTOR)
    m->lanes = last->size / m->element;
  else
    m->lanes = m->text.operand[m->text.operands - 2].size / m->element;
}

static unsigned memory_bytes(const struct model *m) {
  if (m->memory->repeat)
    return m->element;
  if (m->op == BROADCAST || m->op == INSERT)
    return m->count * m->element;
  return m->lanes * m->element;
}

static bool in_area(uint64_t address) { return address - (uint64_t)(uintptr_t)(form_area + PAGE) < AREA; }

static uint64_t get(const uint8_t *bytes, unsigned size) {
  uint64_t value = 0;

  memcpy(&value, bytes, size);
  return value;
}

static uint64_t read_memory(struct model *m, uint64_t address, unsigned size) {
  if (!in_area(address) || !in_area(address + size - 1)) {
    m->faults = true;
    return 0;
  }
  return get(m->area_before + (address - (uint64_t)(uintptr_t)(form_area + PAGE)), size);
}

/* Element i of an operand. */
static uint64_t element(struct model *m, const struct operand *o, unsigned i) {
  switch (o->kind) {
  case VECTOR:
    return get(m->before->zmm[o->n] + i * m->element, m->element);
  case OPMASK:
    return get((const uint8_t *)&m->before->k[o->n], m->element);
  case GENERAL:
    return get((const uint8_t *)&m->before->gpr[o->n], m->element);
  case MEMORY:
    return read_memory(m, o->address + (o->repeat ? 0 : i * m->element), m->element);
  default:
    return (uint64_t)o->value;
  }
}

static int64_t as_signed(uint64_t value, unsigned size) {
  unsigned unused = 64 - 8 * size;

  return (int64_t)(value << unused) >> unused;
}

static bool holds(const struct model *m, unsigned predicate, uint64_t a, uint64_t b) {
  bool is_unsigned = m->op == COMPARE_UNSIGNED;
  bool less = is_unsigned ? a < b : as_signed(a, m->element) < as_signed(b, m->element);

  switch (predicate % 8) {
  case 0:
    return a == b;
  case 1:
    return less;
  case 2:
    return less || a == b;
  case 3:
    return false;
  case 4:
    return a != b;
  case 5:
    return !less;
  case 6:
    return !less && a != b;
  default:
    return true;
  }
}

/* Element i of the result, before masking; for comparisons the bit of the result. */
static uint64_t result(struct model *m, unsigned i) {
  const struct text *t = &m->text;
  const struct operand *to = &t->operand[t->operands - 1], *from = to - 1, *other = to - 1;
  uint64_t a, b, c, bits = 0;
  unsigned shift;

  /* In AT&T order the first source of the manual comes last, and an immediate first. */
  if (t->operands >= 3)
    from = to - 2;
  switch (m->op) {
  case MOVE:
  case MOVE_ALIGNED:
  case MOVE_LOW:
    return element(m, from, i);
  case AND:
    return element(m, other, i) & element(m, from, i);
  case ANDN:
    return ~element(m, other, i) & element(m, from, i);
  case OR:
    return element(m, other, i) | element(m, from, i);
  case XOR:
    return element(m, other, i) ^ element(m, from, i);
  case TERNARY:
    a = element(m, to, i);
    b = element(m, other, i);
    c = element(m, from, i);
    for (unsigned bit = 0; bit < 8 * m->element; bit++) {
      unsigned row = (unsigned)((a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1));

      bits |= ((uint64_t)t->operand[0].value >> row & 1) << bit;
    }
    return bits;
  case BLEND:
    return element(m, from, i);
  case ALIGN:
    shift = (unsigned)t->operand[0].value % m->lanes;
    return i + shift < m->lanes ? element(m, from, i + shift) : element(m, other, i + shift - m->lanes);
  case COMPARE:
  case COMPARE_UNSIGNED:
    return holds(m, (unsigned)t->operand[0].value, element(m, other, i), element(m, from, i));
  case EQUAL:
    return element(m, other, i) == element(m, from, i);
  case GREATER:
    return as_signed(element(m, other, i), m->element) > as_signed(element(m, from, i), m->element);
  case TEST:
    return (element(m, other, i) & element(m, from, i)) != 0;
  case TESTN:
    return (element(m, other, i) & element(m, from, i)) == 0;
  case BROADCAST:
    return element(m, from, i % m->count);
  case EXTRACT:
    shift = (unsigned)t->operand[0].value % (other->size / (m->count * m->element));
    return element(m, other, shift * m->count + i);
  case INSERT:
    shift = (unsigned)t->operand[0].value % (m->lanes / m->count);
    return i / m->count == shift ? element(m, from, i % m->count) : element(m, other, i);
  case TO_VECTOR:
    return m->before->k[from->n] >> i & 1 ? ~(uint64_t)0 : 0;
  case TO_MASK:
    return element(m, from, i) >> (8 * m->element - 1);
  default:
    break;
  }
  return 0;
}

static uint64_t opmask_result(struct model *m) {
  const struct text *t = &m->text;
  const struct operand *to = &t->operand[t->operands - 1], *first = &t->operand[0];
  unsigned bits = 8 * m->element;
  uint64_t b = element(m, first, 0), a = element(m, &t->operand[1], 0);
  uint64_t ones = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
  enum { CARRY = 1, PARITY = 4, ADJUST = 16, IS_ZERO = 64, SIGN = 128, OVERFLOW = 2048 };
  bool zero = false, carry = false;

  switch (m->op) {
  case KMOVE:
    return b;
  case KAND:
    return a & b;
  case KANDN:
    return ~a & b & ones;
  case KOR:
    return a | b;
  case KXOR:
    return a ^ b;
  case KXNOR:
    return ~(a ^ b) & ones;
  case KADD:
    return (a + b) & ones;
  case KUNPACK:
    return a << bits | b;
  case KNOT:
    return ~b & ones;
  case KLEFT:
  case KRIGHT:
    if ((uint64_t)first->value >= bits)
      return 0;
    return (m->op == KLEFT ? a << first->value : a >> first->value) & ones;
  case KORTEST:
    zero = (a | b) == 0;
    carry = (a | b) == ones;
    break;
  default:
    zero = (a & b) == 0;
    carry = (~a & b) == 0;
    break;
  }
  m->after.flags &= ~(uint64_t)(CARRY | PARITY | ADJUST | IS_ZERO | SIGN | OVERFLOW);
  m->after.flags |= (zero ? IS_ZERO : 0) | (carry ? CARRY : 0);
  return m->before->k[to->n];
}

static void write_memory(struct model *m, uint64_t address, uint64_t value, unsigned size) {
  if (!in_area(address) || !in_area(address + size - 1))
    m->faults = true;
  else
    memcpy(m->area + (address - (uint64_t)(uintptr_t)(form_area + PAGE)), &value, size);
}

/* Masked-out elements are not accessed, so they do not fault, except where the manual says "no fault suppression". */
static bool suppresses_faults(const struct model *m) { return m->op != ALIGN && m->op != EXTRACT && m->op != INSERT; }

static void predict(struct model *m) {
  const struct text *t = &m->text;
  const struct operand *to = &t->operand[t->operands - 1];
  uint64_t mask = t->mask ? m->before->k[t->mask] : ~(uint64_t)0, bits = 0;
  uint8_t *vector = m->after.zmm[to->n];

  m->faults = false;
  m->misaligned = m->op == MOVE_ALIGNED && m->memory && m->memory->address % (m->lanes * m->element);
  if (m->memory && !suppresses_faults(m)) {
    for (unsigned i = 0; i < memory_bytes(m); i++)
      read_memory(m, m->memory->address + i, 1);
  }
  if (m->op >= KMOVE) {
    bits = opmask_result(m);
    if (to->kind == OPMASK)
      m->after.k[to->n] = bits;
    else if (to->kind == GENERAL)
      m->after.gpr[to->n] = bits;
    else
      write_memory(m, to->address, bits, m->element);
    return;
  }
  for (unsigned i = 0; i < m->lanes; i++) {
    bool active = mask >> i & 1;

    if (to->kind == OPMASK)
      bits |= active ? result(m, i) << i : 0;
    else if (to->kind == GENERAL)
      m->after.gpr[to->n] = result(m, i);
    else if (to->kind == MEMORY && active)
      write_memory(m, to->address + i * m->element, result(m, i), m->element);
    else if (to->kind == VECTOR) {
      uint64_t value = element(m, to, i);

      if (active)
        value = result(m, i);
      else if (t->zeroing)
        value = 0;
      else if (m->op == BLEND)
        value = element(m, to - 1, i);
      memcpy(vector + i * m->element, &value, m->element);
    }
  }
  if (to->kind == OPMASK)
    m->after.k[to->n] = bits;
  if (to->kind == VECTOR)
    memset(vector + m->lanes * m->element, 0, 64 - m->lanes * m->element);
}

/* Running a form. */

static sigjmp_buf escape;
static const struct form *current;
static const void *volatile ended_at;
static volatile uint64_t fault_address;
static volatile int fault_code;

static void on_illegal(int signal_number, siginfo_t *info, void *context) {
  greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

  (void)signal_number;
  (void)info;
  ended_at = (const void *)(uintptr_t)*rip;
  if (current && ended_at == current->end)
    *rip = (greg_t)(uintptr_t)machine_return;
  else
    siglongjmp(escape, SIGILL);
}

static void on_fault(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  fault_address = (uint64_t)(uintptr_t)info->si_addr;
  fault_code = info->si_code;
  siglongjmp(escape, signal_number);
}

static void install(int signal_number, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};

  if (sigaction(signal_number, &action, NULL)) {
    perror("sigaction");
    exit(1);
  }
}

static void random_bytes(uint8_t *bytes, size_t size, bool varied) {
  static const uint8_t few[8] = {0, 0, 0, 1, 0x7f, 0x80, 0xff, 0xff};

  for (size_t i = 0; i < size; i++) {
    uint64_t r = random_bits();

    bytes[i] = varied ? (uint8_t)r : few[r % 8];
  }
}

static uint64_t random_mask(unsigned lanes) {
  uint64_t bits = random_bits(), low = ((uint64_t)1 << random_bits() % lanes) - 1;

  switch (bits % 8) {
  case 0:
    return 0;
  case 1:
    return ~(uint64_t)0;
  case 2:
  case 3:
    return low;
  case 4:
  case 5:
    return ~low;
  case 6:
    return low + 1;
  default:
    return random_bits();
  }
}

/* Choose where the memory operand lies, often across an end of the area, and set the registers of its address. */
static void place_memory(struct model *m, struct operand *o, bool near_guard) {
  unsigned size = memory_bytes(m), align = 1;
  uint64_t begin = (uint64_t)(uintptr_t)(form_area + PAGE), where = random_bits() % 4;

  if (o->fixed) {
    o->address = (uint64_t)o->value;
    return;
  }
  o->address = begin + 1024 + random_bits() % (AREA - 2048);
  if (near_guard && where == 0)
    o->address = begin - random_bits() % (size + 1);
  else if (near_guard && where < 3)
    o->address = begin + AREA - random_bits() % (size + 1);
  /* A misaligned address and an empty mask: the manual leaves open which of the two decides. */
  if (m->op == MOVE_ALIGNED && (random_bits() % 4 || m->text.mask))
    align = size;
  if (o->base < 0) {
    if (align < o->scale)
      align = o->scale;
    o->address -= (o->address - (uint64_t)o->value) % align;
    machine.gpr[o->index] = (o->address - (uint64_t)o->value) / o->scale;
    return;
  }
  o->address -= o->address % align;
  machine.gpr[o->base] = o->address - (uint64_t)o->value;
  if (o->index >= 0) {
    machine.gpr[o->index] = random_bits() % 512 - 256;
    machine.gpr[o->base] -= machine.gpr[o->index] * o->scale;
  }
}

static void print_bytes(const char *label, const uint8_t *bytes, size_t size) {
  printf("  %s", label);
  for (size_t i = 0; i < size; i++)
    printf("%s%02x", i % 8 ? "" : " ", bytes[i]);
  putchar('\n');
}

static bool same(const char *text, const char *what, unsigned n, const void *expected, const void *found, size_t size) {
  if (!memcmp(expected, found, size))
    return true;
  printf("FAIL: %s: %s%u\n", text, what, n);
  if (size <= 64) {
    print_bytes("expected", expected, size);
    print_bytes("found   ", found, size);
  }
  return false;
}

static bool same_machine(const char *text, const struct machine *expected, const struct machine *found) {
  bool ok = true;

  for (unsigned i = 0; i < 32; i++)
    ok &= same(text, "zmm", i, expected->zmm[i], found->zmm[i], 64);
  for (unsigned i = 0; i < 8; i++)
    ok &= same(text, "k", i, &expected->k[i], &found->k[i], 8);
  for (unsigned i = 0; i < 16; i++)
    ok &= same(text, "general register ", i, &expected->gpr[i], &found->gpr[i], 8);
  return ok & same(text, "flags ", 0, &expected->flags, &found->flags, 8);
}

/* Of what a faulting instruction must leave alone, the part that can be seen once its handler was left. */
static bool same_software_registers(const char *text, const struct machine *expected, const struct machine *found) {
  bool ok = true;

  for (unsigned i = 16; i < 32; i++)
    ok &= same(text, "after a fault, zmm", i, expected->zmm[i], found->zmm[i], 64);
  for (unsigned i = 0; i < 8; i++)
    ok &= same(text, "after a fault, k", i, &expected->k[i], &found->k[i], 8);
  return ok;
}

/* 0 once the form has ended where it should, else the signal that ended it. */
static int run_code(const struct form *form) {
  int signal_number;

  if (!machine.native) {
    for (unsigned i = 16; i < 32; i++)
      avx512_set_reg(i, machine.zmm[i]);
    for (unsigned i = 0; i < 8; i++)
      avx512_set_kreg(i, machine.k[i]);
  }
  current = form;
  ended_at = NULL;
  signal_number = sigsetjmp(escape, 0);
  if (!signal_number)
    machine_run();
  current = NULL;
  if (!machine.native) {
    for (unsigned i = 16; i < 32; i++)
      memcpy(machine.zmm[i], avx512_reg(i), 64);
    for (unsigned i = 0; i < 8; i++)
      machine.k[i] = avx512_kreg(i);
  }
  return signal_number;
}

static bool run_form(const struct form *form) {
  static struct model m;
  static struct machine before;
  int signal_number;
  bool near_guard, expect_fault, ok = true;

  understand(form->text, &m);
  random_bytes((uint8_t *)machine.zmm, sizeof machine.zmm, random_bits() & 1);
  random_bytes(form_area + PAGE, AREA, random_bits() & 1);
  for (unsigned i = 0; i < 8; i++)
    machine.k[i] = random_mask(m.op >= KMOVE ? 8 * m.element : m.lanes);
  for (unsigned i = 0; i < 16; i++)
    machine.gpr[i] = random_bits();
  /* Any of the arithmetic flags, beside the interrupt flag and the bit that is always set. */
  machine.flags = (random_bits() & 0x8d5) | 0x202;
  machine.code = form->code;
  /* Where the manual promises no suppression, a CPU may still do better. */
  near_guard = random_bits() % 2 && (suppresses_faults(&m) || !m.text.mask || !machine.native);
  for (unsigned i = 0; i < m.text.operands; i++) {
    if (m.text.operand[i].kind == MEMORY)
      place_memory(&m, &m.text.operand[i], near_guard);
  }
  m.before = &before;
  before = machine;
  m.after = before;
  memcpy(m.area_before, form_area + PAGE, AREA);
  memcpy(m.area, m.area_before, AREA);
  predict(&m);
  expect_fault = m.faults || m.misaligned;

  signal_number = run_code(form);
  if (signal_number == SIGILL) {
    printf("FAIL: %s: SIGILL at byte %td, ends at %td\n", form->text, (const char *)ended_at - (const char *)form->code,
           (const char *)form->end - (const char *)form->code);
    return false;
  }
  if (expect_fault != (signal_number == SIGSEGV)) {
    printf("FAIL: %s: %s, operand at %+td from the lower guard\n", form->text,
           expect_fault ? "a fault was due" : "an unexpected fault",
           (ptrdiff_t)(m.memory->address - (uint64_t)(uintptr_t)(form_area + PAGE)));
    return false;
  }
  if (expect_fault) {
    uint64_t offset = fault_address - (uint64_t)(uintptr_t)form_area;
    bool in_guard = offset < PAGE || offset - PAGE - AREA < PAGE;

    if (m.misaligned ? fault_code != SI_KERNEL : !in_guard) {
      printf("FAIL: %s: wrong kind of fault\n", form->text);
      ok = false;
    }
    if (!machine.native)
      ok &= same_software_registers(form->text, &before, &machine);
    return ok & same(form->text, "after a fault, memory", 0, m.area_before, form_area + PAGE, AREA);
  }
  m.after.caller = machine.caller;
  ok = same_machine(form->text, &m.after, &machine);
  return ok & same(form->text, "memory", 0, m.area, form_area + PAGE, AREA);
}

static void run_forms(void) {
  const struct form *form = form_table;

  while (form < form_table_end) {
    const char *group = form++->text;
    unsigned forms = 0, failed = 0;
    char line[160];

    for (; form < form_table_end && form->code; form++, forms++) {
      for (unsigned run = 0; run < RUNS; run++) {
        if (!run_form(form)) {
          failed++;
          break;
        }
      }
    }
    if (failed)
      snprintf(line, sizeof line, "%s: %u of %u forms disagree with the model", group, failed, forms);
    else
      snprintf(line, sizeof line, "%s: %u forms agree with the model", group, forms);
    report(!failed, line);
  }
}

/* Tests by hand, which do not need the model. */

static int signal_of(void (*access)(void *, uint64_t), void *at, uint64_t mask) {
  int signal_number = sigsetjmp(escape, 0);

  if (!signal_number)
    access(at, mask);
  return signal_number;
}

static void load_access(void *at, uint64_t mask) { masked_load(at, mask); }

static void aligned_access(void *at, uint64_t mask) {
  (void)mask;
  aligned_load(at);
}

/* The emulator reports the first byte that cannot be accessed, a CPU may report another in the page. */
static bool faulted_at(const uint8_t *byte) {
  uint64_t expected = (uint64_t)(uintptr_t)byte;

  return machine.native ? fault_address / PAGE == expected / PAGE : fault_address == expected;
}

static void check_guards(void) {
  static const struct {
    void (*access)(void *, uint64_t);
    const char *name;
  } kinds[] = {{load_access, "masked load"}, {masked_store, "masked store"}};
  uint8_t *end = form_area + PAGE + AREA, *begin = form_area + PAGE;
  char line[160];

  for (unsigned i = 0; i < 2; i++) {
    bool empty = !signal_of(kinds[i].access, end, 0) && !signal_of(kinds[i].access, form_area, 0);
    bool inside = true, outside = true;

    for (unsigned n = 1; n < 64; n++) {
      uint64_t low = ((uint64_t)1 << n) - 1;

      inside &= !signal_of(kinds[i].access, end - n, low);
      outside &= signal_of(kinds[i].access, end - n, low * 2 + 1) == SIGSEGV;
      outside &= faulted_at(end);
      inside &= !signal_of(kinds[i].access, begin - n, ~low);
      outside &= signal_of(kinds[i].access, begin - n, ~(low >> 1)) == SIGSEGV;
      outside &= faulted_at(begin - 1);
    }
    snprintf(line, sizeof line, "%s with an empty mask does not touch a guard page", kinds[i].name);
    report(empty, line);
    snprintf(line, sizeof line, "%s up to a guard page does not fault", kinds[i].name);
    report(inside, line);
    snprintf(line, sizeof line, "%s one byte into a guard page faults there", kinds[i].name);
    report(outside, line);
  }
  report(signal_of(aligned_access, begin + 32, 0) == SIGSEGV && fault_code == SI_KERNEL,
         "an aligned load from a misaligned address is a general protection fault");
  mprotect(begin, AREA, PROT_READ);
  report(!signal_of(masked_store, begin, 0) && signal_of(masked_store, begin, 1) == SIGSEGV,
         "a store to read-only memory faults unless its mask is empty");
  mprotect(begin, AREA, PROT_READ | PROT_WRITE);
}

static void check_plain_avx(void) {
  uint8_t in[64], other[64], out[64], expected[64] = {0};

  random_bytes(in, sizeof in, true);
  random_bytes(other, sizeof other, true);
  emulated_load(in);
  plain_store(out);
  report(!memcmp(in, out, 32), "an AVX store sees the low half that an AVX-512 load wrote");
  plain_load(other);
  emulated_store(out);
  memcpy(expected, other, 32);
  report(!memcmp(expected, out, 64), "an AVX-512 store sees what an AVX load wrote, and zeros above");
}

static void check_interface(void) {
  uint8_t value[64];
  unsigned long count = avx512_emulated();
  bool ok;

  random_bytes(value, sizeof value, true);
  masked_load(value, ~(uint64_t)0);
  ok = avx512_emulated() == count + 2 && !memcmp(avx512_reg(16), value, 64) && avx512_kreg(1) == ~(uint64_t)0;
  report(ok, "instructions are counted, and the registers they wrote can be read");
  ok = !avx512_set_kreg(3, 42) && avx512_kreg(3) == 42 && avx512_set_kreg(8, 0) == -1;
  ok &= !avx512_set_reg(31, value) && !memcmp(avx512_reg(31), value, 64);
  ok &= avx512_set_reg(15, value) == -1 && avx512_set_reg(32, value) == -1 && !avx512_reg(32);
  report(ok, "registers can be set, and only those in software");
  avx512_features();
  aligned_load(form_area + PAGE);
  ok = avx512_features() == AVX512_F;
  masked_load(value, 1);
  ok &= avx512_features() == (AVX512_F | AVX512_BW) && avx512_features() == 0;
  report(ok, "the sets that instructions belong to are told apart");
  report(!avx512_emulate(), "installing again is harmless");
}

/* How a child ends that starts the emulator, uses it and then runs what it does not know: 0, or a signal. */
static int end_of_child(void (*last)(void)) {
  int status;
  pid_t child;

  fflush(stdout);
  child = fork();
  if (child < 0) {
    perror("fork");
    exit(1);
  }
  if (!child) {
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    signal(SIGILL, SIG_DFL);
    if (avx512_emulate())
      _exit(1);
    masked_load(form_area + PAGE, 1);
    last();
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      return -1;
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void run_nothing(void) {}

static void run_ud2(void) { __asm__ volatile("ud2"); }

static void run_reserved(void) { reserved_encoding(form_area + PAGE); }

static void send_signal(void) { raise(SIGILL); }

/* Before this process installs anything: the emulator remembers the disposition it found. */
static void check_illegal(void) {
  report(end_of_child(run_nothing) == 0, "a process with nothing illegal ends well");
  report(end_of_child(run_ud2) == SIGILL, "ud2 still kills with SIGILL");
  report(end_of_child(run_reserved) == SIGILL, "a reserved EVEX encoding still kills with SIGILL");
  report(end_of_child(send_signal) == SIGILL, "a SIGILL that was sent still kills");
}

static void print_cpu(void) {
  unsigned brand[13] = {0};

  for (unsigned i = 0; i < 3; i++)
    __get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2], &brand[4 * i + 3]);
  printf("cpu: %s\n", brand[0] ? (const char *)brand : "unnamed");
}

int main(int argc, char **argv) {
  static uint8_t stack[64 * 1024];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);

  machine.native = (uint64_t)avx512_native();
  print_cpu();
  printf("seed: %llu\n", (unsigned long long)seed);
  random_state = seed;
  mprotect(form_area, PAGE, PROT_NONE);
  mprotect(form_area + PAGE + AREA, PAGE, PROT_NONE);
  /* Forms use the stack pointer as they like, so signals must not. */
  sigaltstack(&alternate, NULL);
  check_illegal();
  install(SIGILL, on_illegal);
  install(SIGSEGV, on_fault);
  if (avx512_emulate()) {
    puts("skip: this CPU has avx512f but not avx512vl, avx512bw and avx512dq; nothing was checked");
    return 77;
  }
  puts(machine.native ? "the CPU runs AVX-512 itself: the model is compared with the CPU"
                      : "the CPU lacks AVX-512: the model is compared with the emulator");
  run_forms();
  check_guards();
  check_plain_avx();
  if (machine.native) {
    puts("skip: the emulator was not run, as the CPU raises no SIGILL for it to handle");
  } else {
    check_interface();
    printf("%lu instructions emulated\n", avx512_emulated());
  }
  /* Leak checkers read all static data at exit. */
  mprotect(form_area, PAGE, PROT_READ | PROT_WRITE);
  mprotect(form_area + PAGE + AREA, PAGE, PROT_READ | PROT_WRITE);
  printf("%s: %u failures\n", failures ? "FAIL" : "pass", failures);
  return failures != 0;
}
