/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's `virt` of riscv64: the connector is a page of memory where the board has nothing, the generators pulse on two sources of
 * the platform's interrupt controller that the board leaves free.
 *
 * RISC-V Privileged Architecture: WFI; RISC-V Platform-Level Interrupt Controller Specification 1.0.0.
 */
#include "../machine.h"

#include <stdio.h>
#include <string.h>

#include "../../../wire/connector.h"

static void *(*device_find)(const char *path, const char *type, bool *ambiguous);
static void *(*device_line)(void *device, int number);

static const struct emulator_name NAMES[] = {
    {&device_find, {"object_resolve_path_type", NULL}},
    {&device_line, {"qdev_get_gpio_in", NULL}},
    {&emulator.space, {"get_system_memory", NULL}},
    {&emulator.register_read, {"riscv_cpu_gdb_read_register", NULL}},
};

static void *line(unsigned index)
{
    bool ambiguous = false;
    void *controller = device_find("", "riscv.sifive.plic", &ambiguous);
    if (!controller)
        fprintf(
            stderr,
            "instrument: this machine has no interrupt controller riscv.sifive.plic, or several: want -machine virt\n");
    return controller ? device_line(controller, CONNECTOR_RISCV64_SOURCE + (int)index) : NULL;
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
