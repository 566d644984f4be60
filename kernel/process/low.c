// SPDX-License-Identifier: MIT OR Apache-2.0
// See low.h. The event is set when the number of free pages falls below either limit. From then on, no program gets more pages at
// once than that limit's block, so that some remain for the program that frees memory.
#include "process/low.h"

#include "process/process.h"

#include "core/error.h"

static struct {
    const struct process *process;                     // NULL: no process wants the notification
    HANDLE event;                                      // the kernel's handle, opened for the notification
    uint32_t low, critical, low_block, critical_block; // in pages
} wanted;

void low_look(uint32_t free)
{
    if (wanted.process != NULL && (free + 1 == wanted.low || free + 1 == wanted.critical))
        SetEvent(wanted.event);
}

static bool bound_allows(uint32_t bound, uint32_t block, uint64_t pages, uint32_t free)
{
    return pages <= block || free >= bound + pages;
}

bool low_allows(uint64_t pages, uint32_t free)
{
    return wanted.process == NULL
           || (bound_allows(wanted.low, wanted.low_block, pages, free)
               && bound_allows(wanted.critical, wanted.critical_block, pages, free));
}

void low_forget(const struct process *process)
{
    if (wanted.process == NULL || wanted.process != process)
        return;
    CloseHandle(wanted.event);
    wanted.process = NULL;
}

DWORD low_refusal(uint32_t low, uint32_t critical)
{
    if (low < critical)
        return ERROR_INVALID_PARAMETER;
    return wanted.process != NULL && wanted.process != process_current ? ERROR_BUSY : ERROR_SUCCESS;
}

void low_want(HANDLE event, uint32_t low, uint32_t critical, uint32_t low_block, uint32_t critical_block)
{
    low_forget(process_current);
    wanted.process = event != NULL ? process_current : NULL;
    wanted.event = event;
    wanted.low = low;
    wanted.critical = critical;
    wanted.low_block = low_block;
    wanted.critical_block = critical_block;
}
