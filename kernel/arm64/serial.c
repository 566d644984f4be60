// SPDX-License-Identifier: MIT OR Apache-2.0
// The serial line, polled, as the boot loader has set it. PrimeCell UART (PL011), 3.3.
#include "machine.h"
#include "port.h"

#define SERIAL 0x09000000
#define SERIAL_FLAGS (SERIAL + 0x18)
#define FLAG_RECEIVED_NOTHING 0x10
#define FLAG_FULL 0x20
#define SPINS_MAX 100000 // if the port takes no byte within this many rounds, it does not exist

void console_put(char c)
{
    if (c == '\n')
        console_put('\r');
    for (unsigned i = 0; i < SPINS_MAX && *device_word(SERIAL_FLAGS) & FLAG_FULL; i++)
        ;
    *device_word(SERIAL) = (uint8_t)c;
}

int console_get(void)
{
    return *device_word(SERIAL_FLAGS) & FLAG_RECEIVED_NOTHING ? -1 : (int)(*device_word(SERIAL) & UINT8_MAX);
}
