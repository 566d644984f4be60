// SPDX-License-Identifier: MIT OR Apache-2.0
#include "capture.h"

#include "chip.h"
#include "clocks.h"
#include "edges.h"
#include "pio.h"
#include "pulses.h"

static uint64_t capture_began_us;

void capture_start(uint32_t high_ticks, uint32_t low_ticks, uint32_t pulses)
{
    edges_fit();
    pulses_fit(high_ticks, low_ticks, pulses);
    pio_start(PIO0, EDGES_MACHINES | PULSES_MACHINE);
    capture_began_us = clocks_now_us();
}

void capture_stop(void)
{
    pulses_stop();
    edges_stop();
}

uint64_t capture_age_us(void)
{
    return clocks_now_us() - capture_began_us;
}
