/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The output lines: the data register of the parallel port at 0x378, written from user space. */
#include "bench.h"

#include <sys/io.h>

enum { PORT_DATA = 0x378, PORT_CHANNEL = 0x380, PORT_END = 0x384 };

enum { ALL_PORTS = 3 };

static volatile uint8_t levels;

bool lines_open(void)
{
    if (iopl(ALL_PORTS) != 0)
        return false;
    outb(0, PORT_DATA);
    return true;
}

void line_raise(enum line line)
{
    outb((uint8_t)(levels | line), PORT_DATA);
    levels |= (uint8_t)line;
}

void line_lower(enum line line)
{
    levels &= (uint8_t)~line;
    outb(levels, PORT_DATA);
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
    outsb(PORT_CHANNEL, bytes, count);
}

void lines_end(uint8_t code)
{
    outb(code, PORT_END);
}
