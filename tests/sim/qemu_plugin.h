/* SPDX-License-Identifier: MIT */
/*
 * The few functions of qemu's plugin interface that count.c calls, declared here since Debian 12 ships no header for
 * it. They are the same from interface version 1 (qemu 6, 7 and 8) to the newest; the number that a plugin must name
 * is not: from qemu 9 on the lowest is 2.
 */
#ifndef SIM_QEMU_PLUGIN_H
#define SIM_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* Only the first member is used. */
struct qemu_plugin_info {
  const char *target_name;
};

enum { QEMU_PLUGIN_NO_REGISTERS = 0 };
enum { QEMU_PLUGIN_READ = 1, QEMU_PLUGIN_WRITE = 2, QEMU_PLUGIN_READ_WRITE = 3 };

/* What a plugin defines. */
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv);

/* Called when a block of guest code is translated, and for each instruction or access that asked for it there. */
typedef void qemu_plugin_translated(uint64_t id, struct qemu_plugin_tb *block);
typedef void qemu_plugin_executed(unsigned cpu, void *data);
typedef void qemu_plugin_accessed(unsigned cpu, uint32_t access, uint64_t address, void *data);
typedef void qemu_plugin_ended(uint64_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_translated *function);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_executed *function, int flags,
                                            void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_accessed *function, int flags,
                                      int directions, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_plugin_ended *function, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
/* In user emulation the address, in this process, of the instruction's bytes. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

/* log2 of the bytes of an access */
unsigned qemu_plugin_mem_size_shift(uint32_t access);
bool qemu_plugin_mem_is_store(uint32_t access);

#endif
