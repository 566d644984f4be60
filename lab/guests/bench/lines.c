/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The response lines: the data register of port A. */
#include "bench.h"
#include "ports.h"

static volatile uint8_t levels;

bool lines_open(void)
{
    if (!ports_permit())
        return false;
    port_write(CONNECTOR_A_PORT + CONNECTOR_DATA, 0);
    return true;
}

void line_raise(enum line line)
{
    port_write(CONNECTOR_A_PORT + CONNECTOR_DATA, (uint8_t)(levels | line));
    levels |= (uint8_t)line;
}

void line_lower(enum line line)
{
    levels &= (uint8_t)~line;
    port_write(CONNECTOR_A_PORT + CONNECTOR_DATA, levels);
}

void line_toggle(enum line line)
{
    if (levels & line)
        line_lower(line);
    else
        line_raise(line);
}

void lines_send(const void *bytes, size_t count)
{
    port_send(CONNECTOR_CHANNEL_PORT, bytes, count);
}

void lines_end(uint8_t code)
{
    port_write(CONNECTOR_END_PORT, code);
}
