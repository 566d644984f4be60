// SPDX-License-Identifier: MIT OR Apache-2.0
// Turns the trail on: another switch_to, and each line's ISR gets a wrapper. A line hooked afterwards has its switches
// in the trail, but not its interrupts.
#include "core/ready.h"
#include "core/trail.h"
#include "port.h"
#include "machine.h"

extern ISR isr_table[];
void switch_note(void);

static ISR wrapped[IRQ_LINES + 1];

static DWORD isr_noted(unsigned line)
{
    trail_note(TRAIL_INTERRUPT, line);
    DWORD answer = wrapped[line]();
    trail_note(TRAIL_ANSWER, answer);
    return answer;
}

// clang-format off
#define LINES(LINE)                                                                                                   \
    LINE(0) LINE(1) LINE(2) LINE(3) LINE(4) LINE(5) LINE(6) LINE(7) LINE(8)                                           \
    LINE(9) LINE(10) LINE(11) LINE(12) LINE(13) LINE(14) LINE(15) LINE(16)
// clang-format on
#define WRAPPER(line) \
    static DWORD isr_noted_##line(void) \
    { \
        return isr_noted(line); \
    }
#define ENTRY(line) isr_noted_##line,
LINES(WRAPPER)
static const ISR wrappers[IRQ_LINES + 1] = {LINES(ENTRY)};

// Called by switch_noted: the thread that will run is current already.
void switch_note(void)
{
    trail_note(TRAIL_SWITCH, (uint32_t)kernel.current->object.handle);
}

void trail_start(void)
{
    interrupts_mask();
    for (unsigned line = 0; line <= IRQ_LINES; line++) {
        wrapped[line] = isr_table[line];
        isr_table[line] = wrappers[line];
    }
    switch_usual = switch_to = switch_noted;
    trail_on = true;
    interrupts_unmask();
}
