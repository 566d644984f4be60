// SPDX-License-Identifier: MIT OR Apache-2.0
// Begins, divides and ends a kernel call. The code that delivers pending interrupts (catch_up.h) must not use these functions: it
// runs with the gate closed, so it would never reach the end of a call.
#ifndef DETENT_CALL_H
#define DETENT_CALL_H

#include "core/catch_up.h"
#include "core/likely.h"
#include "core/profile.h"
#include "port.h"

static inline void kernel_enter(void)
{
    gate_close();
}

static inline void kernel_leave(void)
{
    if (UNLIKELY(gate_open_found_pending()))
        kernel_catch_up();
}

// Call it between two steps of a long call. It handles an interrupt that waits for the gate; other threads may then have changed
// the kernel's data.
static inline bool kernel_passes(void) // true if an interrupt came
{
    bool passes = profile.split_calls && UNLIKELY(gate_has_pending());
    if (passes)
        kernel_pass_pending();
    return passes;
}

static inline void kernel_pass(void)
{
    kernel_passes();
}

#endif
