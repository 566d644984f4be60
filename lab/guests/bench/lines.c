/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The output lines: the data register of the parallel port at 0x378. */
#include "bench.h"

enum { PORT_DATA = 0x378, PORT_CHANNEL = 0x380, PORT_END = 0x384 };

static volatile uint8_t levels;

static void port_write(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

bool lines_open(void)
{
    if (!ports_permit())
        return false;
    port_write(PORT_DATA, 0);
    return true;
}

void line_raise(enum line line)
{
    port_write(PORT_DATA, (uint8_t)(levels | line));
    levels |= (uint8_t)line;
}

void line_lower(enum line line)
{
    levels &= (uint8_t)~line;
    port_write(PORT_DATA, levels);
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
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(count) : "d"((uint16_t)PORT_CHANNEL) : "memory");
}

void lines_end(uint8_t code)
{
    port_write(PORT_END, code);
}
