/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heavy.h. AMD64 Architecture Programmer's Manual volume 3, appendix A: opcode and operand encodings. */
#include "heavy.h"

#include <stdbool.h>

const char *const HEAVY_NAMES[HEAVY_KINDS] = {
    [HEAVY_CR3] = "cr3",    [HEAVY_MSR] = "msr",     [HEAVY_PORT] = "port",     [HEAVY_DEVICE] = "device",
    [HEAVY_DIVIDE] = "div", [HEAVY_FLAG] = "flag",   [HEAVY_LOCKED] = "locked", [HEAVY_BIT] = "bit",
    [HEAVY_FPU] = "fpu",    [HEAVY_RETURN] = "iret",
};

/* The parts of the byte after the opcode that matter: whether the operand is in memory, and the opcode's extension. */
struct operand {
    bool present;
    bool in_memory;
    unsigned extension;
};

static struct operand operand_of(const uint8_t *bytes, size_t count, size_t at)
{
    struct operand operand = {.present = at < count};
    if (operand.present) {
        operand.in_memory = bytes[at] >> 6 != 3;
        operand.extension = bytes[at] >> 3 & 7;
    }
    return operand;
}

static bool is_prefix(uint8_t byte)
{
    /* Opcodes of one kind stand on one line. */
    /* clang-format off */
    switch (byte) {
    case 0x26: case 0x2E: case 0x36: case 0x3E: case 0x64: case 0x65: /* segment prefixes */
    case 0x66: case 0x67: case 0xF0: case 0xF2: case 0xF3:
        return true;
    default:
        return byte >= 0x40 && byte <= 0x4F;
    }
    /* clang-format on */
}

static enum heavy of_one_byte(uint8_t opcode, struct operand operand)
{
    /* Opcodes of one kind stand on one line. */
    /* clang-format off */
    switch (opcode) {
    case 0x6C: case 0x6D: case 0x6E: case 0x6F: /* ins, outs */
    case 0xE4: case 0xE5: case 0xE6: case 0xE7: case 0xEC: case 0xED: case 0xEE: case 0xEF:
        return HEAVY_PORT;
    case 0x86: case 0x87:
        return operand.present && operand.in_memory ? HEAVY_LOCKED : HEAVY_NONE;
    case 0x9D: case 0xFA: case 0xFB:
        return HEAVY_FLAG;
    case 0xCF:
        return HEAVY_RETURN;
    case 0xF6: case 0xF7:
        return operand.present && operand.extension >= 6 ? HEAVY_DIVIDE : HEAVY_NONE;
    case 0xDD: /* fnsave /6, frstor /4 */
        return operand.in_memory && (operand.extension == 6 || operand.extension == 4) ? HEAVY_FPU : HEAVY_NONE;
    default:
        return HEAVY_NONE;
    }
    /* clang-format on */
}

/* fxsave 0, fxrstor 1, xsave 4, xrstor 5, xsaveopt 6; with the prefix 66, 6 is clwb; 7 is clflush in both cases. */
static bool saves_fpu(struct operand operand, bool operand_size)
{
    unsigned extension = operand.extension;
    return operand.in_memory && !operand_size && (extension <= 1 || (extension >= 4 && extension <= 6));
}

/* Opcodes after the byte 0F. */
static enum heavy of_two_bytes(uint8_t opcode, struct operand operand, bool operand_size)
{
    /* Opcodes of one kind stand on one line. */
    /* clang-format off */
    switch (opcode) {
    case 0x22:
        return operand.present && operand.extension == 3 ? HEAVY_CR3 : HEAVY_NONE;
    case 0x30: case 0x32:
        return HEAVY_MSR;
    case 0x31:
        return HEAVY_STAMP;
    case 0xA3: case 0xAB: case 0xB3: case 0xBB:
        return operand.in_memory ? HEAVY_BIT : HEAVY_NONE;
    case 0xAE:
        return saves_fpu(operand, operand_size) ? HEAVY_FPU : HEAVY_NONE;
    case 0xC7: /* xrstors 3, xsavec 4, xsaves 5 */
        return operand.in_memory && operand.extension >= 3 && operand.extension <= 5 ? HEAVY_FPU : HEAVY_NONE;
    default:
        return HEAVY_NONE;
    }
    /* clang-format on */
}

enum heavy heavy_of(const uint8_t *bytes, size_t count)
{
    size_t at = 0;
    bool locked = false, operand_size = false;
    for (; at + 1 < count && is_prefix(bytes[at]); at++) {
        locked |= bytes[at] == 0xF0;
        operand_size |= bytes[at] == 0x66;
    }
    if (at >= count)
        return HEAVY_NONE;
    if (locked)
        return HEAVY_LOCKED;
    if (bytes[at] != 0x0F)
        return of_one_byte(bytes[at], operand_of(bytes, count, at + 1));
    if (at + 1 >= count)
        return HEAVY_NONE;
    return of_two_bytes(bytes[at + 1], operand_of(bytes, count, at + 2), operand_size);
}
