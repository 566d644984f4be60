/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin interface that the instrument uses.
 *
 * Distributions do not package qemu-plugin.h; these prototypes follow its documentation.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *opaque);

/* The instrument passes pointers to these on and never reads them. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

/* The first members of the structure that describes the emulator to a plugin. */
struct qemu_info_t {
    const char *target_name;
    struct {
        int least;
        int current; /* 1 until QEMU 8, 2 in QEMU 9.0, 3 and more in later versions */
    } version;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

/* Called by QEMU when the plugin is loaded; a non-zero result refuses the load. */
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv);

/* Calls `callback` at an orderly end of QEMU. */
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *opaque);

/* Calls `callback` for each block of instructions that is translated. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *block));

/* Calls `callback` before each execution of the block. */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*callback)(unsigned processor, void *opaque),
                                          enum qemu_plugin_cb_flags flags, void *opaque);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);

/*
 * Returns an instruction's bytes. Up to version 2 of the interface, it takes only the instruction and returns a pointer to the
 * bytes; from version 3 on, it copies them into a buffer. Cast it to the matching type.
 */
void qemu_plugin_insn_data(void);
typedef const uint8_t *(*plugin_bytes_at)(const struct qemu_plugin_insn *instruction);
typedef size_t (*plugin_bytes_copy)(const struct qemu_plugin_insn *instruction, void *into, size_t most);

/* Calls `callback` before each execution of the instruction. */
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            void (*callback)(unsigned processor, void *opaque),
                                            enum qemu_plugin_cb_flags flags, void *opaque);

/* Calls `callback` after each access of the instruction to memory. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      void (*callback)(unsigned processor, qemu_plugin_meminfo_t info, uint64_t address,
                                                       void *opaque),
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw which, void *opaque);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place);

#endif
