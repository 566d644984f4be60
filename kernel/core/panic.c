// SPDX-License-Identifier: MIT OR Apache-2.0
// Prints one line with the reason, the function and the thread, and stops the machine.
#include "core/panic.h"

#include "core/ready.h"
#include "core/trail.h"

void panic(const char *function, const char *reason)
{
    const struct thread *thread = kernel.current;
    const char *where = symbol_name((uintptr_t)thread->start, NULL);
    NKDbgPrintfW("\npanic: %s: %s; thread %s (handle %llx, priority %u)\n", function, reason,
                 thread == &idle_thread ? "idle" : where, (unsigned long long)thread->object.handle,
                 thread->link.priority);
    if (trail_on)
        trail_print(TRAIL_SHOWN);
    machine_stop(true);
}
