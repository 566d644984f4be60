// SPDX-License-Identifier: MIT OR Apache-2.0
// Fake: every thread runs to its end when it is started, so tasks run one after the other, and locks are always free.
#include "tasks.h"

#include <stdio.h>

size_t port_host_read(void *bytes, size_t count)
{
    return fread(bytes, 1, count, stdin);
}

uint64_t port_thread_cpu_ns(void)
{
    return UINT64_MAX;
}

const char *port_thread_once(void (*run)(void *argument), void *argument, const struct port_place *place)
{
    (void)place;
    run(argument);
    return NULL;
}

const char *port_lock_make(struct port_lock *lock, enum port_protocol protocol, unsigned ceiling)
{
    (void)lock;
    (void)protocol;
    (void)ceiling;
    return NULL;
}

bool port_lock_take(struct port_lock *lock)
{
    (void)lock;
    return true;
}

void port_lock_give(struct port_lock *lock)
{
    (void)lock;
}
