/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The response lines: the data register of port A. */
#include "bench.h"

static volatile uint8_t levels;

static void port_write(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

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
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(count) : "d"((uint16_t)CONNECTOR_CHANNEL_PORT) : "memory");
}

void lines_end(uint8_t code)
{
    port_write(CONNECTOR_END_PORT, code);
}
