/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Accesses the connector's registers: by I/O instructions if the CPU has ports, otherwise as memory that ports_permit()
 * has mapped. On the PC, no change may move code, because the tests compare the guest's edges byte for byte.
 */
#ifndef PORTS_H
#define PORTS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__i386__) || defined(__x86_64__)

static inline void port_write(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline void port_send(uint16_t port, const void *bytes, size_t count)
{
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(count) : "d"(port) : "memory");
}

#else

/* The connector's page, after ports_permit() has mapped it. */
extern volatile uint8_t *connector_page;

static inline void port_write(uint16_t port, uint8_t value)
{
    connector_page[port] = value;
}

static inline void port_send(uint16_t port, const void *bytes, size_t count)
{
    for (const uint8_t *next = bytes; count > 0; count--)
        connector_page[port] = *next++;
}

/* The same as in sys/io.h of a PC. */
static inline void outl(uint32_t value, uint16_t port)
{
    *(volatile uint32_t *)(connector_page + port) = value;
}

static inline uint32_t inl(uint16_t port)
{
    return *(volatile uint32_t *)(connector_page + port);
}

#endif

#endif
