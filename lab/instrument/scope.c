/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scope: each bit of the two ports' data registers is a line, and every change of a bit is an edge.
 *
 * The registers satisfy the BIOS and Linux's parport_pc (IBM PC Technical Reference, parallel printer adapter). The data register
 * reads back what was written, status reads "ready, no interrupt pending", and control reads back with its unused bits set.
 */
#include "scope.h"

#include "../../wire/connector.h"
#include "../machine/machine.h"
#include "emulator.h"
#include "generator.h"
#include "modes.h"
#include "recording.h"

enum { REGISTERS = 3, STATUS_READY = 0xDF, CONTROL_UNUSED = 0xC0, DATA_LINES = 8 };

struct port {
    unsigned index;
    uint16_t first;
    uint16_t data_line;
    uint16_t armed_line;
    struct registers now;
    struct emulator_region region;
};

static struct port ports[GENERATORS] = {
    {.index = 0, .first = CONNECTOR_A_PORT, .data_line = LINE_PORT_A, .armed_line = LINE_ARMED_A},
    {.index = 1, .first = CONNECTOR_B_PORT, .data_line = LINE_PORT_B, .armed_line = LINE_ARMED_B},
};

static void data_write(struct port *port, uint8_t value)
{
    uint64_t now_instructions = emulator_now_instructions();
    unsigned changed = port->now.data ^ value;
    port->now.data = value;
    for (unsigned bit = 0; bit < DATA_LINES; bit++) {
        unsigned level = value >> bit & 1;
        if (!(changed >> bit & 1))
            continue;
        recording_add(now_instructions, (uint16_t)(port->data_line + bit), (uint8_t)level, 0, value);
        if (level)
            generator_port_marked(port->index, bit);
    }
    if (changed)
        modes_mark();
}

static void control_write(struct port *port, uint8_t value)
{
    unsigned changed = port->now.control ^ value;
    bool armed = value & CONNECTOR_ARMED;
    port->now.control = value;
    if (!(changed & CONNECTOR_ARMED))
        return;
    recording_add(emulator_now_instructions(), port->armed_line, armed, 0, value);
    if (armed)
        generator_port_armed(port->index);
}

static void port_write(void *opaque, uint64_t offset, uint64_t value, unsigned bytes)
{
    (void)bytes;
    if (offset == CONNECTOR_DATA)
        data_write(opaque, (uint8_t)value);
    else if (offset == CONNECTOR_CONTROL)
        control_write(opaque, (uint8_t)value);
}

static uint64_t port_read(void *opaque, uint64_t offset, unsigned bytes)
{
    const struct port *port = opaque;
    (void)bytes;
    if (offset == CONNECTOR_DATA)
        return port->now.data;
    return offset == CONNECTOR_STATUS ? STATUS_READY : port->now.control | CONTROL_UNUSED;
}

static const struct emulator_region_ops PORT_OPS = {
    .read = port_read,
    .write = port_write,
    .valid = {.min_bytes = 1, .max_bytes = 1},
    .implemented = {.min_bytes = 1, .max_bytes = 1},
};

struct registers scope_registers(unsigned index)
{
    return ports[index].now;
}

void scope_connect(const struct options *options)
{
    for (unsigned i = 0; i < GENERATORS; i++) {
        const struct generator_options *before = &options->generators[i];
        ports[i].now = (struct registers){(uint8_t)before->data, (uint8_t)before->control};
        machine_connect(&ports[i].region, ports[i].first, REGISTERS, &PORT_OPS, &ports[i], "backwall-scope");
    }
}
