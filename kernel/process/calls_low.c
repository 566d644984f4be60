// SPDX-License-Identifier: MIT OR Apache-2.0
// SetOomEvent: notifies a process that few pages are free.
#include "process/entries.h"
#include "process/handles.h"
#include "process/low.h"
#include "process/registry.h"
#include "core/error.h"

// Only one process at a time may be notified. event NULL ends the notification.
uint64_t call_SetOomEvent(uint64_t event, uint64_t low, uint64_t critical, uint64_t low_block, uint64_t critical_block)
{
    process_lock();
    HANDLE object = event != 0 ? handle_object(event) : NULL;
    DWORD refused = low_refusal((uint32_t)low, (uint32_t)critical);
    if (refused == ERROR_SUCCESS && event != 0 && !ResetEvent(object))
        refused = ERROR_INVALID_HANDLE;
    if (refused == ERROR_SUCCESS)
        low_want(event != 0 ? handle_open_again(object) : NULL, (uint32_t)low, (uint32_t)critical, (uint32_t)low_block,
                 (uint32_t)critical_block);
    process_unlock();
    return refused == ERROR_SUCCESS || thread_error(refused);
}
