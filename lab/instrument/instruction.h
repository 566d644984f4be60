/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of an instruction that is being translated, whichever plugin interface this emulator has. */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include "plugin.h"

/* Longest instruction of the supported CPUs, in bytes. */
enum { INSTRUCTION_BYTES_MAX = 16 };

/* Called once, before the first block is translated. */
void instruction_interface(const struct qemu_info_t *info);

/* Copies the instruction's bytes and returns their number. */
size_t instruction_bytes(const struct qemu_plugin_insn *instruction, uint8_t into[INSTRUCTION_BYTES_MAX]);

#endif
