// SPDX-License-Identifier: MIT OR Apache-2.0
// Idle threads 2, 3 and 5 of the 2002 interrupt timing tool, at a priority below everything else; idle1 is spin
// (spin.c) and idle4 is handoff (handoff.c) at that priority.
//
// They keep the kernel busy when the interrupt comes. The tool's calls and their replacements: SetThreadPriority(IDLE)
// sets SCHED_IDLE again, SetEvent and WaitForSingleObject are the port's events, VirtualAlloc and VirtualFree map and
// unmap memory.
#include "handoff.h"

#include "../load.h"
#include "../port/port.h"

#define IDLE_MAP_BYTES (64u << 10)
#define IDLE_PAGE_BYTES 4096u
#define IDLE_TIMEOUT_NS 10000000000u // ten seconds

static void idle2_run(struct load_run *run, unsigned which)
{
    (void)which;
    while (!load_stopped(run)) {
        port_thread_idle();
        load_count(run, 1);
    }
}

static void idle3_run(struct load_run *run, unsigned which)
{
    handoff_alternate(run, which, IDLE_TIMEOUT_NS);
}

static void idle5_run(struct load_run *run, unsigned which)
{
    while (!load_stopped(run)) {
        volatile unsigned char *memory = port_memory_map(IDLE_MAP_BYTES);

        if (!memory) {
            load_fail(run, "load idle5: no 64 KiB of memory");
            return;
        }
        for (size_t i = which; i < IDLE_MAP_BYTES; i += IDLE_PAGE_BYTES)
            memory[i] = 1;
        port_memory_unmap((void *)memory, IDLE_MAP_BYTES);
        load_count(run, 1);
    }
}

const struct load load_idle2 = {
    .name = "idle2",
    .unit = "calls",
    .summary = "iltiming -i2: asks for idle priority again",
    .threads = 1,
    .traits = LOAD_IDLE,
    .run = idle2_run,
};

const struct load load_idle3 = {
    .name = "idle3",
    .unit = "handoffs",
    .summary = "iltiming -i3: two threads alternate, 10 s",
    .threads = 2,
    .traits = LOAD_IDLE,
    .run = idle3_run,
};

const struct load load_idle5 = {
    .name = "idle5",
    .unit = "maps",
    .summary = "iltiming -i5: maps and unmaps 64 KiB",
    .threads = 1,
    .traits = LOAD_IDLE,
    .run = idle5_run,
};
