// SPDX-License-Identifier: MIT OR Apache-2.0
// The first serial port, 115200 baud, polled. National Semiconductor PC16550D, 8.0.
#include "port.h"
#include "machine.h"

#define SERIAL 0x3F8
#define SERIAL_INTERRUPTS (SERIAL + 1)
#define SERIAL_FIFO (SERIAL + 2)
#define SERIAL_LINE (SERIAL + 3)
#define SERIAL_MODEM (SERIAL + 4)
#define SERIAL_STATUS (SERIAL + 5)
#define STATUS_RECEIVED 0x01
#define STATUS_EMPTY 0x20
#define SPINS_MAX 100000 // if the port is not empty within this many rounds, it does not exist

void serial_init(void)
{
    out8(SERIAL_INTERRUPTS, 0);
    out8(SERIAL_LINE, 0x80);
    out8(SERIAL, 1);
    out8(SERIAL + 1, 0);
    out8(SERIAL_LINE, 0x03);
    out8(SERIAL_FIFO, 0xC7);
    out8(SERIAL_MODEM, 0x0B);
}

void console_put(char c)
{
    if (c == '\n')
        console_put('\r');
    for (unsigned i = 0; i < SPINS_MAX && !(in8(SERIAL_STATUS) & STATUS_EMPTY); i++)
        ;
    out8(SERIAL, (uint8_t)c);
}

int console_get(void)
{
    return in8(SERIAL_STATUS) & STATUS_RECEIVED ? in8(SERIAL) : -1;
}
