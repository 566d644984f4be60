// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: memory, locked as far as this process may. The process uses memory beyond the limit unlocked, with one
// warning.
#define _GNU_SOURCE
#include "linux_memory.h"

#include "port.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

static atomic_bool linux_locks;    // memory that is mapped from now on is locked
static atomic_bool linux_unlocked; // some memory could not be locked

void port_memory_lock(void)
{
    linux_locks = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    linux_unlocked = !linux_locks;
}

// Keeps existing memory locked if possible.
bool linux_memory_relent(int error)
{
    if (!linux_locks || (error != EAGAIN && error != ENOMEM))
        return false;
    linux_locks = false;
    linux_unlocked = true;
    if (mlockall(MCL_CURRENT) != 0)
        munlockall();
    return true;
}

void *linux_memory_of(size_t bytes, int flags)
{
    void *memory = MAP_FAILED;

    do {
        int there = linux_unlocked ? MAP_POPULATE : 0;

        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | there, -1, 0);
    } while (memory == MAP_FAILED && linux_memory_relent(errno));
    return memory == MAP_FAILED ? NULL : memory;
}

void *port_memory_map(size_t bytes)
{
    return linux_memory_of(bytes, MAP_PRIVATE);
}

void port_memory_unmap(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

const char *port_memory_unlocked(void)
{
    static char why[192];
    struct rlimit limit = {0};

    if (!linux_unlocked)
        return NULL;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    snprintf(why, sizeof why, "cannot lock memory beyond %llu KiB, so a page fault may fall into a measurement",
             (unsigned long long)limit.rlim_cur / 1024);
    return why;
}
