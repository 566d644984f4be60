// SPDX-License-Identifier: MIT OR Apache-2.0
// See lines.h.
#include "core/lines.h"

#include "port.h"

uint32_t lines_level;
static volatile int32_t waiting[SYSINTR_LIMIT]; // for each SYSINTR, the lines whose ISR has answered it, one bit each

void line_answered(unsigned irq, uint32_t sysintr)
{
    if (!(lines_level >> irq & 1) || sysintr < SYSINTR_DEVICES || sysintr >= SYSINTR_LIMIT)
        return;
    line_mask(irq, LINE_IN_SERVICE, true);
    interlocked_add(&waiting[sysintr], 1 << irq); // the bit was clear, because a masked line does not interrupt
}

uint32_t lines_take(unsigned sysintr)
{
    int32_t lines = waiting[sysintr];
    interlocked_add(&waiting[sysintr], -lines);
    return (uint32_t)lines;
}

uint32_t lines_unmask_first(uint32_t lines)
{
    line_mask((unsigned)__builtin_ctz(lines), LINE_IN_SERVICE, false);
    return lines & (lines - 1);
}
