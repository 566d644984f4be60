// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: locks with priority inheritance, and short-lived threads. The kernel does not record a thread's CPU time.
#include "detent_threads.h"
#include "tasks.h"

_Static_assert(sizeof(CRITICAL_SECTION) <= sizeof(struct port_lock), "a lock holds the system's");

uint64_t port_thread_cpu_ns(void)
{
    return UINT64_MAX;
}

const char *port_thread_once(void (*run)(void *argument), void *argument, const struct port_place *place)
{
    const char *refusal;
    HANDLE thread = detent_thread_suspended(run, argument, &refusal);

    if (!thread)
        return refusal;
    if (place->class == PORT_CLASS_FIFO)
        CeSetThreadQuantum(thread, 0);
    if (place->class == PORT_CLASS_ORDINARY)
        SetThreadPriority(thread, THREAD_PRIORITY_NORMAL);
    else
        CeSetThreadPriority(thread, detent_priority(place->priority));
    ResumeThread(thread);
    CloseHandle(thread);
    return NULL;
}

static CRITICAL_SECTION *detent_section(struct port_lock *lock)
{
    return (CRITICAL_SECTION *)(void *)lock->opaque;
}

const char *port_lock_make(struct port_lock *lock, enum port_protocol protocol, unsigned ceiling)
{
    (void)ceiling;
    InitializeCriticalSection(detent_section(lock));
    return protocol == PORT_INHERITANCE ? NULL : "locks of Detent inherit priorities: it has no other protocol";
}

bool port_lock_take(struct port_lock *lock)
{
    EnterCriticalSection(detent_section(lock));
    return true;
}

void port_lock_give(struct port_lock *lock)
{
    LeaveCriticalSection(detent_section(lock));
}
