// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lines.h"

#include "chip.h"

void lines_start(void)
{
    for (unsigned pin = LINES_PULSES_PIN; pin < LINES_PULSES_PIN + LINES_SAMPLED; pin++)
        REGISTER(PADS(pin)) = PADS_INPUT | PADS_4_MA | PADS_PULL_DOWN | PADS_SCHMITT;
    REGISTER(IO_CTRL(LINES_PULSES_PIN)) = IO_PIO0;
}
