// SPDX-License-Identifier: MIT OR Apache-2.0
// Windows: threads, their CPUs and priorities, locked memory, and CPU time.
//
// Real-time priority is the real-time class. Its levels 16 to 31 are the probe's priorities 84 to 99; level 16 also
// serves lower ones.
#include "windows.h"

#include "plan.h"

#include <stdio.h>

#define STACK_BYTES (256u * 1024u)
#define LEVEL_LOWEST_PRIORITY 84u
#define WORKING_SET_BYTES ((SIZE_T)64 * 1024 * 1024)
#define NS_PER_TICK 100u

static const char *windows_unlocked;

uint64_t windows_cpu_ns(FILETIME kernel, FILETIME user)
{
    uint64_t ticks = ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime)
                     + ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime);

    return ticks * NS_PER_TICK;
}

// The levels of a thread in the real-time class: 24 plus a number from -7 to 6, or the two ends, which have their own names.
int windows_level(unsigned priority)
{
    enum { LOWEST_NUMBER = -7, HIGHEST_NUMBER = 6 };
    int number = (int)priority - (int)LEVEL_LOWEST_PRIORITY + LOWEST_NUMBER - 1;

    if (number < LOWEST_NUMBER)
        return THREAD_PRIORITY_IDLE;
    return number > HIGHEST_NUMBER ? THREAD_PRIORITY_TIME_CRITICAL : number;
}

struct windows_start {
    void (*run)(void *argument);
    void *argument;
};

static DWORD WINAPI windows_thread_run(void *start)
{
    struct windows_start own = *(struct windows_start *)start;

    HeapFree(GetProcessHeap(), 0, start);
    own.run(own.argument);
    return 0;
}

const char *port_thread_start(void (*run)(void *argument), void *argument)
{
    struct windows_start *start = HeapAlloc(GetProcessHeap(), 0, sizeof *start);

    if (!start)
        return "cannot start a thread: no memory";
    *start = (struct windows_start){run, argument};
    HANDLE thread = CreateThread(NULL, STACK_BYTES, windows_thread_run, start, 0, NULL);

    if (!thread)
        return windows_refusal("cannot start a thread");
    CloseHandle(thread);
    return NULL;
}

const char *port_thread_settle(int cpu)
{
    if (cpu == PROBE_CPU_ANY)
        return NULL;
    if ((size_t)cpu >= sizeof(DWORD_PTR) * 8)
        return "the probe supports only the first 64 CPUs of Windows: choose one of them";
    if (SetThreadAffinityMask(GetCurrentThread(), (DWORD_PTR)1 << cpu) == 0)
        return windows_refusal("the CPU cannot be used: choose another with --cpu");
    return NULL;
}

// Without the right to it, Windows silently grants a lower class.
const char *port_thread_realtime(unsigned priority, enum port_policy policy)
{
    HANDLE process = GetCurrentProcess();

    (void)policy; // threads of the same level always take turns
    if (GetPriorityClass(process) != REALTIME_PRIORITY_CLASS)
        SetPriorityClass(process, REALTIME_PRIORITY_CLASS);
    if (GetPriorityClass(process) != REALTIME_PRIORITY_CLASS)
        return PORT_REALTIME_REFUSED; // an administrator has the right
    if (!SetThreadPriority(GetCurrentThread(), windows_level(priority)))
        return windows_refusal("the priority is refused");
    return NULL;
}

const char *port_thread_idle(void)
{
    return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_IDLE) ? NULL
                                                                       : windows_refusal("the idle level is refused");
}

const char *port_thread_deadline(uint64_t runtime_ns, uint64_t deadline_ns, uint64_t period_ns)
{
    (void)runtime_ns;
    (void)deadline_ns;
    (void)period_ns;
    return "Windows has no deadline scheduling: leave out the policy deadline";
}

void port_thread_avoid(const int16_t *cpus, uint32_t count)
{
    DWORD_PTR allowed, all;

    if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (cpus[i] >= 0 && (size_t)cpus[i] < sizeof allowed * 8)
            allowed &= ~((DWORD_PTR)1 << cpus[i]);
    }
    if (allowed)
        SetThreadAffinityMask(GetCurrentThread(), allowed);
}

uint64_t port_thread_id(void)
{
    return GetCurrentThreadId();
}

// Windows does not take away memory within the minimum of the working set.
void port_memory_lock(void)
{
    if (!SetProcessWorkingSetSizeEx(GetCurrentProcess(), WORKING_SET_BYTES, 2 * WORKING_SET_BYTES,
                                    QUOTA_LIMITS_HARDWS_MIN_ENABLE))
        windows_unlocked = windows_refusal("memory cannot be locked: run the probe as administrator");
}

const char *port_memory_unlocked(void)
{
    return windows_unlocked;
}

const char *port_idle_hold(void)
{
    return "Windows lets no program keep CPUs out of idle states: leave them as they are, or choose a power plan";
}

// Windows does not count page faults and preemptions per thread.
struct port_usage port_thread_usage(void)
{
    return (struct port_usage){.known = false};
}

struct port_usage port_process_usage(void)
{
    return (struct port_usage){.known = false};
}
