// SPDX-License-Identifier: MIT OR Apache-2.0
// See low.h. The event is set when the free pages fall below either bound; from there on nobody gets more of them at once than that
// bound's block, so that what is left is there for who frees some.
#include "process/low.h"

#include "process/entries.h"
#include "process/frames.h"
#include "process/handles.h"
#include "core/error.h"

static struct {
    const struct process *process;                     // NULL: nobody wants to know
    HANDLE event;                                      // opened for this
    uint32_t low, critical, low_block, critical_block; // in pages
} wanted;

void low_look(uint32_t free)
{
    if (wanted.process != NULL && (free + 1 == wanted.low || free + 1 == wanted.critical))
        SetEvent(wanted.event);
}

static bool bound_allows(uint32_t bound, uint32_t block, uint64_t pages)
{
    return pages <= block || frames_free() >= bound + pages;
}

bool low_allows(uint64_t pages)
{
    return wanted.process == NULL
           || (bound_allows(wanted.low, wanted.low_block, pages)
               && bound_allows(wanted.critical, wanted.critical_block, pages));
}

void low_forget(const struct process *process)
{
    if (wanted.process == NULL || wanted.process != process)
        return;
    CloseHandle(wanted.event);
    wanted.process = NULL;
}

// One process at a time wants to know; event NULL: no more.
uint64_t call_SetOomEvent(uint64_t event, uint64_t low, uint64_t critical, uint64_t low_block, uint64_t critical_block)
{
    DWORD refused = ERROR_SUCCESS;
    process_lock();
    if ((uint32_t)low < (uint32_t)critical)
        refused = ERROR_INVALID_PARAMETER;
    else if (wanted.process != NULL && wanted.process != process_current)
        refused = ERROR_BUSY;
    else if (event != 0 && !ResetEvent(handle_object(event)))
        refused = ERROR_INVALID_HANDLE;
    if (refused == ERROR_SUCCESS) {
        low_forget(process_current);
        wanted.low = (uint32_t)low;
        wanted.critical = (uint32_t)critical;
        wanted.low_block = (uint32_t)low_block;
        wanted.critical_block = (uint32_t)critical_block;
        if (event != 0) {
            wanted.event = handle_open_again(handle_object(event));
            wanted.process = process_current;
        }
    }
    process_unlock();
    return refused == ERROR_SUCCESS || thread_error(refused);
}
