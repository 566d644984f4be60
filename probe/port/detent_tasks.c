// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: locks that inherit, and threads for a moment. The kernel keeps no account of a thread's processor time.
#include "tasks.h"

#include "detent.h"

#define REALTIME_LOWEST 99 // as in detent.c: priority 1 of the probe's scale of 1 to 99
#define PRIORITY_ORDINARY 251
#define MOMENTS_MAX 64 // that were started and have not run yet

_Static_assert(sizeof(CRITICAL_SECTION) <= sizeof(struct port_lock), "a lock holds the system's");

uint64_t port_thread_cpu_ns(void)
{
    return UINT64_MAX;
}

struct detent_moment {
    void (*run)(void *argument);
    void *argument;
    volatile LONG taken;
};

static DWORD detent_moment_run(LPVOID given)
{
    struct detent_moment *moment = given;
    struct detent_moment own = *moment;

    InterlockedExchange(&moment->taken, 0);
    own.run(own.argument);
    return 0;
}

static struct detent_moment *detent_moment_claim(void (*run)(void *argument), void *argument)
{
    static struct detent_moment moments[MOMENTS_MAX];

    for (unsigned i = 0; i < MOMENTS_MAX; i++) {
        if (InterlockedExchange(&moments[i].taken, 1) == 0) {
            moments[i].run = run;
            moments[i].argument = argument;
            return &moments[i];
        }
    }
    return NULL;
}

const char *port_thread_once(void (*run)(void *argument), void *argument, const struct port_place *place)
{
    struct detent_moment *moment = detent_moment_claim(run, argument);
    HANDLE thread = moment ? CreateThread(NULL, 0, detent_moment_run, moment, CREATE_SUSPENDED, NULL) : NULL;

    if (!thread) {
        if (moment)
            InterlockedExchange(&moment->taken, 0);
        return "Detent has no more threads for events";
    }
    if (place->class == PORT_CLASS_FIFO)
        CeSetThreadQuantum(thread, 0);
    CeSetThreadPriority(thread, place->class == PORT_CLASS_ORDINARY ? PRIORITY_ORDINARY
                                                                    : (int)(REALTIME_LOWEST - place->priority));
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

void port_lock_take(struct port_lock *lock)
{
    EnterCriticalSection(detent_section(lock));
}

void port_lock_give(struct port_lock *lock)
{
    LeaveCriticalSection(detent_section(lock));
}
