// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: marks on the data lines of a PC's parallel port, which the kernel must permit the program to write
// (ioperm(2)). The permission belongs to a thread and the threads that it starts, so it ends with the process.
#define _GNU_SOURCE
#include "operations.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <sys/io.h>
#endif

#define MARK_HIGHEST 0xffffu

static uint16_t linux_mark; // 0: marks are not written

// A row of /proc/ioports, such as "  0378-037a : parport0".
static bool linux_is_parallel_port(uint64_t address)
{
    char row[160];
    bool found = false;
    FILE *list = fopen("/proc/ioports", "re");

    while (list && !found && fgets(row, sizeof row, list)) {
        unsigned first;
        unsigned last;

        found = sscanf(row, " %x-%x", &first, &last) == 2 && address == first && strstr(row, "parport");
    }
    if (list)
        fclose(list);
    return found;
}

static bool linux_may_write(uint16_t address)
{
#if defined(__x86_64__) || defined(__i386__)
    return ioperm(address, 1, 1) == 0;
#else
    (void)address;
    errno = ENOSYS;
    return false;
#endif
}

const char *port_mark_open(uint64_t address)
{
    static char why[200];

    if (address == 0 || address > MARK_HIGHEST || !linux_is_parallel_port(address)) {
        snprintf(why, sizeof why,
                 "there is no parallel port at 0x%llx: modprobe parport_pc, then use the address of a parport in "
                 "/proc/ioports (read as root)",
                 (unsigned long long)address);
        return why;
    }
    if (!linux_may_write((uint16_t)address)) {
        snprintf(why, sizeof why, "port 0x%llx cannot be written to: %s; run as root", (unsigned long long)address,
                 strerror(errno));
        return why;
    }
    linux_mark = (uint16_t)address;
    return NULL;
}

void port_mark(uint8_t value)
{
#if defined(__x86_64__) || defined(__i386__)
    if (linux_mark)
        outb(value, linux_mark);
#else
    (void)value;
#endif
}
