/* SPDX-License-Identifier: MIT */
/*
 * A plugin of qemu's user emulation for PowerPC programs: counts instructions, loads, stores, bytes, dcbz and dcbt
 * between marks (tune/marks.h) and drives a model of cache and bus (model.h) with them.
 *
 * usage: qemu-ppc -plugin count.so,out=FILE[,model=e300c3:touch=4:...] program
 *   out     gets a comment that names the columns, and a line for each MARK_REPORT
 *   model   as model_parse() takes it, with colons for commas; e300c3 by default
 *   dcbf    =dcbt: dcbf stands for dcbt (see below)
 *
 * What counts as one load or store is an instruction that accesses memory, however many callbacks qemu makes of it:
 * lxv gives two, lxvp four, lxvl and lmw one for each byte or word. To the model it is one access of the range.
 *
 * Neither dcbz nor dcbt gives a callback, and registers cannot be read:
 *   dcbz   the line is that of the next store, and the model is told before what came between. A dcbz that no store
 *          follows is counted as lost
 *   dcbt   is counted, but the model cannot be told its line. For the model's sake assemble a copy of the program with
 *          -Ddcbt=dcbf: qemu takes dcbf for a load, so that its address is seen, and it changes nothing else
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "qemu_plugin.h"
#include "tune/marks.h"

int qemu_plugin_version = 1;

/* qemu reads the version before it calls anything here. What version 2 removed tells the two kinds apart. */
__attribute__((constructor)) static void choose_version(void) {
  if (dlsym(RTLD_DEFAULT, "qemu_plugin_n_vcpus") == NULL)
    qemu_plugin_version = 2;
}

enum kind { PLAIN, DCBZ, DCBT, DCBF, MARKS /* and the number of the mark */ };

enum event_kind { EVENT_INSTRUCTION, EVENT_LOAD, EVENT_STORE, EVENT_TOUCH };
struct event {
  enum event_kind kind;
  uint64_t address, size;
};

static struct {
  struct model *model;
  FILE *out;
  bool big_endian;
  bool dcbf_is_dcbt;
  bool on;
  uint64_t instructions, loads, stores, load_bytes, store_bytes, dcbz, dcbt, lost;
  /* the instruction that is being executed: its accesses are one range for each direction */
  enum kind kind;
  bool loaded, stored;
  uint64_t low[2], high[2];
  /* since a dcbz whose line is not known yet */
  bool pending;
  size_t event_count;
  struct event events[256];
} count;

/* The model. */

static void apply(const struct event *event) {
  switch (event->kind) {
  case EVENT_INSTRUCTION:
    model_instruction(count.model);
    break;
  case EVENT_LOAD:
    model_load(count.model, event->address, event->size);
    break;
  case EVENT_STORE:
    model_store(count.model, event->address, event->size);
    break;
  case EVENT_TOUCH:
    model_dcbt(count.model, event->address);
    break;
  }
}

static void catch_up(void) {
  for (size_t i = 0; i < count.event_count; i++)
    apply(&count.events[i]);
  count.event_count = 0;
  count.pending = false;
}

static void lose_pending(void) {
  if (count.pending) {
    count.lost++;
    catch_up();
  }
}

static void add_event(enum event_kind kind, uint64_t address, uint64_t size) {
  struct event event = {kind, address, size};
  if (count.pending && kind == EVENT_STORE) {
    model_dcbz(count.model, address);
    catch_up();
  }
  if (count.pending && count.event_count == sizeof count.events / sizeof *count.events)
    lose_pending();
  if (count.pending)
    count.events[count.event_count++] = event;
  else
    apply(&event);
}

/* Execution. */

/* The accesses of the instruction before are complete. */
static void settle(void) {
  for (unsigned store = 0; store < 2; store++) {
    bool accessed = store ? count.stored : count.loaded;
    uint64_t size = count.high[store] - count.low[store];
    if (!accessed)
      continue;
    if (count.kind == DCBF) {
      if (count.dcbf_is_dcbt)
        add_event(EVENT_TOUCH, count.low[store], 0);
    } else if (store) {
      count.stores++;
      count.store_bytes += size;
      add_event(EVENT_STORE, count.low[store], size);
    } else {
      count.loads++;
      count.load_bytes += size;
      add_event(EVENT_LOAD, count.low[store], size);
    }
  }
  count.loaded = false;
  count.stored = false;
}

static void restart(void) {
  count.instructions = count.loads = count.stores = count.load_bytes = count.store_bytes = 0;
  count.dcbz = count.dcbt = count.lost = 0;
  model_restart(count.model);
}

static void report(void) {
  struct model_totals totals = model_totals(count.model);
  fprintf(count.out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
          count.instructions, count.loads, count.stores, count.load_bytes, count.store_bytes, count.dcbz, count.dcbt,
          count.lost);
  fprintf(count.out, " %" PRIu64 ".%02u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f\n",
          totals.ticks / 100, (unsigned)(totals.ticks % 100), totals.fills, totals.touches, totals.wasted,
          totals.writebacks, totals.broadcasts, model_dirty(count.model),
          model_rate(model_params(count.model), count.store_bytes, totals.ticks));
}

static void mark(enum mark number) {
  if (count.on) {
    settle();
    lose_pending();
  }
  switch (number) {
  case MARK_COLD:
    model_forget(count.model);
    break;
  case MARK_START:
    restart();
    break;
  case MARK_ON:
    count.on = true;
    count.kind = PLAIN;
    break;
  case MARK_OFF:
    count.on = false;
    break;
  case MARK_REPORT:
    report();
    break;
  }
}

static void on_instruction(unsigned cpu, void *data) {
  (void)cpu;
  uintptr_t kind = (uintptr_t)data;
  if (kind >= MARKS) {
    mark((enum mark)(kind - MARKS));
    return;
  }
  if (!count.on)
    return;
  settle();
  count.kind = (enum kind)kind;
  count.instructions++;
  add_event(EVENT_INSTRUCTION, 0, 0);
  if (kind == DCBZ) {
    lose_pending();
    count.dcbz++;
    count.pending = true;
  } else if (kind == DCBT || (kind == DCBF && count.dcbf_is_dcbt)) {
    count.dcbt++;
  }
}

static void on_access(unsigned cpu, uint32_t access, uint64_t address, void *data) {
  (void)cpu;
  (void)data;
  if (!count.on)
    return;
  bool store = qemu_plugin_mem_is_store(access);
  bool *accessed = store ? &count.stored : &count.loaded;
  uint64_t end = address + (UINT64_C(1) << qemu_plugin_mem_size_shift(access));
  if (!*accessed || address < count.low[store])
    count.low[store] = address;
  if (!*accessed || end > count.high[store])
    count.high[store] = end;
  *accessed = true;
}

/* Translation. */

static uint32_t opcode_of(const struct qemu_plugin_insn *insn) {
  const unsigned char *bytes = qemu_plugin_insn_haddr(insn);
  uint32_t opcode = 0;
  for (unsigned i = 0; i < 4; i++)
    opcode |= (uint32_t)bytes[i] << (count.big_endian ? 24 - 8 * i : 8 * i);
  return opcode;
}

static uintptr_t kind_of(uint32_t opcode) {
  for (unsigned number = MARK_COLD; number <= MARK_REPORT; number++) {
    if (opcode == MARK_OPCODE(number))
      return MARKS + number;
  }
  if (opcode >> 26 == 31) {
    switch (opcode >> 1 & 0x3ff) {
    case 1014:
      return DCBZ;
    case 278:
      return DCBT;
    case 86:
      return DCBF;
    }
  }
  return PLAIN;
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *block) {
  (void)id;
  size_t n = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < n; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
    void *kind = (void *)kind_of(opcode_of(insn));
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_NO_REGISTERS, kind);
    qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_NO_REGISTERS, QEMU_PLUGIN_READ_WRITE, NULL);
  }
}

/* Start and end. */

static void on_end(uint64_t id, void *data) {
  (void)id;
  (void)data;
  if (fclose(count.out) != 0) {
    perror("count: out");
    _exit(1);
  }
  model_free(count.model);
}

static bool read_arguments(int argc, char **argv) {
  struct model_params params;
  const char *out = NULL, *wrong = model_parse(&params, "e300c3");
  for (int i = 0; i < argc && wrong == NULL; i++) {
    if (strncmp(argv[i], "out=", 4) == 0) {
      out = argv[i] + 4;
    } else if (strcmp(argv[i], "dcbf=dcbt") == 0) {
      count.dcbf_is_dcbt = true;
    } else if (strncmp(argv[i], "model=", 6) == 0) {
      for (char *colon = argv[i]; (colon = strchr(colon, ':')) != NULL;)
        *colon = ',';
      wrong = model_parse(&params, argv[i] + 6);
    } else {
      wrong = "not an argument of count.so";
    }
    if (wrong != NULL)
      fprintf(stderr, "count: %s: %s\n", argv[i], wrong);
  }
  if (wrong != NULL)
    return false;
  if (out == NULL) {
    fprintf(stderr, "count: out=FILE is missing\n");
    return false;
  }
  count.model = model_new(&params);
  count.out = fopen(out, "w");
  if (count.model == NULL || count.out == NULL) {
    perror("count");
    return false;
  }
  return true;
}

int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv) {
  if (strncmp(info->target_name, "ppc", 3) != 0) {
    fprintf(stderr, "count: %s is not PowerPC\n", info->target_name);
    return 1;
  }
  count.big_endian = strstr(info->target_name, "le") == NULL;
  if (!read_arguments(argc, argv))
    return 1;
  fprintf(count.out, "# instructions loads stores load_bytes store_bytes dcbz dcbt lost"
                     " cycles fills touches wasted writebacks broadcasts dirty rate\n");
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_end, NULL);
  return 0;
}
