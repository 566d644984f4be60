// SPDX-License-Identifier: MIT OR Apache-2.0
// The load "calls": makes every call of the sweep's table in turn, for ever, and toggles the progress output each round.
#include "programs/load.h"
#include "programs/outputs.h"
#include "programs/sweep_calls.h"

DWORD calls_main(LPVOID unused)
{
    (void)unused;
    sweep_calls_init();
    for (uint32_t round = 0;; round++) { // for ever
        for (unsigned i = 0; i < sweep_call_count; i++) {
            const struct sweep_call *call = &sweep_calls[i];
            if (call->instants != 0)
                continue; // skips calls that wait, or that move the tick
            if (call->prepare != NULL)
                call->prepare();
            call->run();
            if (call->restore != NULL)
                call->restore();
        }
        if (round % 2)
            output_lower(OUTPUT_PROGRESS);
        else
            output_raise(OUTPUT_PROGRESS);
    }
}
