/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See instruction.h. */
#include "instruction.h"

#include <string.h>

/* From this version of the plugin interface on, the plugin gets a copy of an instruction's bytes instead of a pointer. */
enum { VERSION_COPIES = 3 };

static plugin_bytes_copy bytes_copy; /* one of the two pointers is set */
static plugin_bytes_at bytes_at;

void instruction_interface(const struct qemu_info_t *info)
{
    if (info->version.current >= VERSION_COPIES)
        bytes_copy = (plugin_bytes_copy)qemu_plugin_insn_data;
    else
        bytes_at = (plugin_bytes_at)qemu_plugin_insn_data;
}

size_t instruction_bytes(const struct qemu_plugin_insn *instruction, uint8_t into[INSTRUCTION_BYTES_MAX])
{
    size_t bytes = qemu_plugin_insn_size(instruction);
    if (bytes_copy)
        return bytes_copy(instruction, into, INSTRUCTION_BYTES_MAX);
    bytes = bytes < INSTRUCTION_BYTES_MAX ? bytes : INSTRUCTION_BYTES_MAX;
    memcpy(into, bytes_at(instruction), bytes);
    return bytes;
}
