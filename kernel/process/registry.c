// SPDX-License-Identifier: MIT OR Apache-2.0
// See registry.h.
#include "process/registry.h"

#include "process/process.h"

struct process processes[PROCESSES_MAX];
static CRITICAL_SECTION lock;

void process_lock_make(void)
{
    InitializeCriticalSection(&lock);
}

void process_lock(void)
{
    EnterCriticalSection(&lock);
}

void process_unlock(void)
{
    LeaveCriticalSection(&lock);
}

void process_free_if_unused(struct process *process)
{
    if (process->opens != 0 || !process_has_ended(process))
        return;
    CloseHandle(process->ended);
    process->ended = NULL;
}

void process_close(struct process *process)
{
    process_lock();
    process->opens--;
    process_free_if_unused(process);
    process_unlock();
}
