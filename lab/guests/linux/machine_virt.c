/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* QEMU's `virt` board with any CPU: the connector is a page of memory. */
#define _GNU_SOURCE
#include "guest.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MEMORY_MAJOR = 1, MEMORY_MINOR = 1 };

static const char MEMORY[] = "/memory";

volatile uint8_t *connector_page;

/*
 * The kernel lets a process map memory that no driver has claimed. No device file system is mounted yet, so this
 * program makes its own device node.
 */
bool ports_permit(void)
{
    if (mknod(MEMORY, S_IFCHR | S_IRUSR | S_IWUSR, makedev(MEMORY_MAJOR, MEMORY_MINOR)) != 0)
        return false;
    int memory = open(MEMORY, O_RDWR | O_SYNC);
    if (memory < 0)
        return false;
    void *page = mmap(NULL, CONNECTOR_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, CONNECTOR_PAGE);
    close(memory);
    unlink(MEMORY);
    if (page == MAP_FAILED)
        return false;
    connector_page = page;
    return true;
}
