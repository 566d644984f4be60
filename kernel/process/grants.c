// SPDX-License-Identifier: MIT OR Apache-2.0
// See grants.h. A SYSINTR belongs to its initializer: no process initializes, ends or disables another's.
#include "process/grants.h"

#include "process/registry.h"
#include "process/threads.h"

#include "process/entries.h"
#include "process/handles.h"

#include "core/irq.h"
#include "core/error.h"

void process_permit_ports(struct process *process)
{
    process->flags |= USER_FLAGS_OF_PORTS;
}

void process_permit_interrupt(struct process *process, DWORD sysintr)
{
    process->interrupts_permitted |= 1ull << sysintr;
}

// While a kernel thread runs, process_current is the previous process.
void grants_inherit(struct process *process)
{
    const struct process *maker = switch_usual == switch_of_kernel ? &process_none : process_current;
    process->flags = maker->flags;
    process->interrupts_permitted = maker->interrupts_permitted;
    process->interrupts = 0;
}

void grants_end(struct process *process)
{
    for (unsigned sysintr = 0; sysintr < SYSINTR_LIMIT; sysintr++)
        if (process->interrupts >> sysintr & 1)
            InterruptDisable(sysintr);
}

static bool holds(uint64_t sysintrs, uint64_t sysintr)
{
    return sysintr < SYSINTR_LIMIT && sysintrs >> sysintr & 1;
}

// Returns why the process may not use this interrupt: it has no permission, or the kernel or a process uses the interrupt
// already. After ERROR_SUCCESS, the kernel makes the remaining checks.
static DWORD initialize_refused(uint64_t sysintr)
{
    if (sysintr < SYSINTR_DEVICES || sysintr >= SYSINTR_LIMIT)
        return ERROR_INVALID_PARAMETER;
    if (!holds(process_current->interrupts_permitted, sysintr))
        return ERROR_ACCESS_DENIED;
    return irqs[sysintr].event != NULL ? ERROR_BUSY : ERROR_SUCCESS;
}

uint64_t call_InterruptInitialize(uint64_t sysintr, uint64_t event, uint64_t data, uint64_t bytes)
{
    process_lock();
    DWORD refused = initialize_refused(sysintr);
    BOOL done = refused == ERROR_SUCCESS
                    ? InterruptInitialize((DWORD)sysintr, handle_object(event), (LPVOID)data, (DWORD)bytes)
                    : thread_error(refused);
    if (done)
        process_current->interrupts |= 1ull << sysintr;
    process_unlock();
    return (uint64_t)done;
}

uint64_t call_InterruptDone(uint64_t sysintr)
{
    if (LIKELY(holds(process_current->interrupts, sysintr)))
        InterruptDone((DWORD)sysintr);
    else
        thread_error(ERROR_ACCESS_DENIED);
    return 0;
}

uint64_t call_InterruptDisable(uint64_t sysintr)
{
    process_lock();
    if (holds(process_current->interrupts, sysintr)) {
        InterruptDisable((DWORD)sysintr);
        process_current->interrupts &= ~(1ull << sysintr);
    } else {
        thread_error(ERROR_ACCESS_DENIED);
    }
    process_unlock();
    return 0;
}
