// SPDX-License-Identifier: MIT OR Apache-2.0
// See lines.h.
#include "core/lines.h"

#include "core/fast.h"

uint32_t lines_level;
static volatile int32_t waiting[SYSINTR_LIMIT]; // lines by the SYSINTR that their ISR has answered, a bit each

void line_answered(unsigned irq, uint32_t sysintr)
{
    if (!(lines_level >> irq & 1) || sysintr < SYSINTR_DEVICES || sysintr >= SYSINTR_LIMIT)
        return;
    line_mask(irq, LINE_IN_SERVICE, true);
    interlocked_add(&waiting[sysintr], 1 << irq); // its bit is clear: a masked line does not come here
}

// One that is unmasked may ask, and wait, again before the next has been.
void lines_done(unsigned sysintr)
{
    int32_t lines = waiting[sysintr];
    interlocked_add(&waiting[sysintr], -lines);
    for (; lines != 0; lines &= lines - 1) { // at most IRQ_LINES
        line_mask((unsigned)__builtin_ctz((unsigned)lines), LINE_IN_SERVICE, false);
        if (!profile.done_at_tick) // then the tick calls this, in the midst of its own catching up
            kernel_pass();
    }
}
