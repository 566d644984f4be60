// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the counter's rate from a CPU register. Arm Architecture Reference Manual for A-profile, D11 (generic timer).
#include "core/panic.h"
#include "machine.h"
#include "port.h"

uint64_t counter_hz;

uint64_t counter_read(void)
{
    return cycles_now();
}

void counter_init(void)
{
    counter_hz = SYSTEM_READ(cntfrq_el0);
    if (counter_hz == 0)
        panic(__func__, "nobody has set the counter's rate");
}

BOOL QueryPerformanceCounter(LARGE_INTEGER *count)
{
    count->QuadPart = (int64_t)counter_read();
    return TRUE;
}

BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency_hz)
{
    frequency_hz->QuadPart = (int64_t)counter_hz;
    return TRUE;
}
