/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's `virt` of riscv64: the connector is a page of memory where the board has nothing, the generators pulse on two sources of
 * the platform's interrupt controller that the board leaves free.
 *
 * RISC-V Privileged Architecture: WFI; RISC-V Platform-Level Interrupt Controller Specification 1.0.0.
 */
#include "../machine.h"
#include "../virt.h"

#include <string.h>

#include "../../../wire/connector.h"

static const struct emulator_name NAMES[] = {
    VIRT_NAMES,
    {&emulator.register_read, {"riscv_cpu_gdb_read_register", NULL}},
};

static void *line(unsigned index)
{
    return virt_line("interrupt controller", "riscv.sifive.plic", CONNECTOR_RISCV64_SOURCE + (int)index);
}

static bool halts(const uint8_t *bytes, size_t count)
{
    static const uint8_t WFI[] = {0x73, 0x00, 0x50, 0x10};
    return count == sizeof WFI && memcmp(bytes, WFI, sizeof WFI) == 0;
}

/* The debugger's registers have neither the mode nor what is masked among those that the emulator exports. */
extern const struct machine MACHINE_RISCV64_VIRT;
const struct machine MACHINE_RISCV64_VIRT = {
    .target = "riscv64",
    .names = NAMES,
    .name_count = sizeof NAMES / sizeof NAMES[0],
    .connector_at = CONNECTOR_PAGE,
    .connector_splits_blocks = true,
    .line = line,
    .halts = halts,
};
