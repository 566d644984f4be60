// SPDX-License-Identifier: MIT OR Apache-2.0
// Windows: what sets of tasks need. A lock is a critical section, which does not pass on priorities.
#include "plan.h"
#include "tasks.h"
#include "windows.h"

#include <stdio.h>

size_t port_host_read(void *bytes, size_t count)
{
    return fread(bytes, 1, count, stdin);
}

uint64_t port_thread_cpu_ns(void)
{
    FILETIME created, ended, kernel, user;

    if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user))
        return UINT64_MAX;
    return windows_cpu_ns(kernel, user);
}

struct windows_moment {
    void (*run)(void *argument);
    void *argument;
};

static DWORD WINAPI windows_moment_run(void *moment)
{
    struct windows_moment own = *(struct windows_moment *)moment;

    HeapFree(GetProcessHeap(), 0, moment);
    own.run(own.argument);
    return 0;
}

// Sets the CPU and priority of a thread before it runs.
static const char *windows_moment_place(HANDLE thread, const struct port_place *place)
{
    if (place->cpu != PROBE_CPU_ANY && SetThreadAffinityMask(thread, (DWORD_PTR)1 << place->cpu) == 0)
        return windows_refusal("a thread's CPU cannot be used");
    if (place->class != PORT_CLASS_ORDINARY && !SetThreadPriority(thread, windows_level(place->priority)))
        return windows_refusal("a thread's priority is refused");
    return NULL;
}

const char *port_thread_once(void (*run)(void *argument), void *argument, const struct port_place *place)
{
    enum { STACK_BYTES = 64 * 1024 };
    struct windows_moment *moment = HeapAlloc(GetProcessHeap(), 0, sizeof *moment);

    if (!moment)
        return "cannot start a thread: no memory";
    *moment = (struct windows_moment){run, argument};
    HANDLE thread = CreateThread(NULL, STACK_BYTES, windows_moment_run, moment, CREATE_SUSPENDED, NULL);
    const char *why = thread ? windows_moment_place(thread, place) : windows_refusal("cannot start a thread");

    if (!thread)
        return why;
    // Resume a thread even if its CPU or priority was refused, so that it ends. The set is given up for this reason.
    ResumeThread(thread);
    CloseHandle(thread);
    return why;
}

const char *port_lock_make(struct port_lock *lock, enum port_protocol protocol, unsigned ceiling)
{
    (void)ceiling;
    _Static_assert(sizeof(CRITICAL_SECTION) <= sizeof lock->opaque, "a critical section is kept in the lock");
    if (protocol != PORT_PLAIN)
        return "Windows has no lock with a protocol: leave out inheritance and ceilings";
    InitializeCriticalSection((CRITICAL_SECTION *)(void *)lock->opaque);
    return NULL;
}

bool port_lock_take(struct port_lock *lock)
{
    EnterCriticalSection((CRITICAL_SECTION *)(void *)lock->opaque);
    return true;
}

void port_lock_give(struct port_lock *lock)
{
    LeaveCriticalSection((CRITICAL_SECTION *)(void *)lock->opaque);
}
