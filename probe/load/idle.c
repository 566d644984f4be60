// SPDX-License-Identifier: MIT OR Apache-2.0
// idle1 to idle5: the idle threads of the 2002 interrupt timing tool, at a priority below everything else.
//
// They give the kernel something to be in the middle of when the interrupt
// comes. The tool's calls and ours: SetThreadPriority(IDLE) asks for SCHED_IDLE
// again, SetEvent and WaitForSingleObject are the port's events, VirtualAlloc and
// VirtualFree map and unmap.
#include "../port/port.h"
#include "../probe.h"

#define IDLE_MAP_BYTES (64u << 10)
#define IDLE_PAGE_BYTES 4096u
#define IDLE_TIMEOUT_NS 10000000000u // ten seconds

void idle2_run(struct load_run *run, unsigned which)
{
    (void)which;
    while (!loadrun_stopped()) {
        port_thread_idle();
        loadrun_count(run, 1);
    }
}

void idle3_run(struct load_run *run, unsigned which)
{
    handoff_alternate(run, which, IDLE_TIMEOUT_NS);
}

void idle5_run(struct load_run *run, unsigned which)
{
    while (!loadrun_stopped()) {
        volatile unsigned char *memory = port_memory_map(IDLE_MAP_BYTES);

        if (!memory) {
            loadrun_fail(run, "load idle5: no 64 KiB of memory");
            return;
        }
        for (size_t i = which; i < IDLE_MAP_BYTES; i += IDLE_PAGE_BYTES)
            memory[i] = 1;
        port_memory_unmap((void *)memory, IDLE_MAP_BYTES);
        loadrun_count(run, 1);
    }
}
