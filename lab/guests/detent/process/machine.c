// SPDX-License-Identifier: MIT OR Apache-2.0
// Implements board.h for a process: what the probe's port needs of the machine, by system calls. No row of osbench
// waits for a tick of the clock.
#include "machine.h"

#include "board.h"

uint64_t counter_hz;
struct profile profile = {.tick_ms = 1};

void machine_begin(const char *profile_name)
{
    LARGE_INTEGER frequency_hz;

    QueryPerformanceFrequency(&frequency_hz);
    counter_hz = (uint64_t)frequency_hz.QuadPart;
    profile.name = profile_name;
}

uint64_t clock_tick_due(void)
{
    LARGE_INTEGER count;

    QueryPerformanceCounter(&count);
    return (uint64_t)count.QuadPart;
}

void *memory_take(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_COMMIT, PAGE_READWRITE);
}

const void *boot_module(size_t *bytes)
{
    *bytes = 0;
    return NULL;
}

_Noreturn void machine_stop(bool failed)
{
    ExitProcess(failed);
}
