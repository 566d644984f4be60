// SPDX-License-Identifier: MIT OR Apache-2.0
// Turns the trail on: replaces switch_to, and wraps each line's ISR. A line that is hooked later needs another call of
// trail_start to have its interrupts in the trail.
#include "core/ready.h"
#include "core/trail.h"
#include "port.h"
#include "machine.h"

extern const char line_noters[]; // defined in the port's entry.S: each calls isr_note with its line
void switch_note(void);

static ISR wrapped[IRQ_LINES + 1];

DWORD isr_note(unsigned line);

DWORD isr_note(unsigned line)
{
    trail_note(TRAIL_INTERRUPT, line);
    DWORD answer = wrapped[line]();
    trail_note(TRAIL_ANSWER, answer);
    return answer;
}

// Called by switch_noted. The next thread is already the current one.
void switch_note(void)
{
    trail_note(TRAIL_SWITCH, (uint32_t)kernel.current->object.handle);
}

void trail_start(void)
{
    uintptr_t earlier = interrupts_save();
    for (unsigned line = 0; line <= IRQ_LINES; line++) {
        ISR noter = (ISR)(uintptr_t)(line_noters + LINE_STUB_BYTES * line);
        if (*isr_place(line) != noter)
            wrapped[line] = *isr_place(line);
        *isr_place(line) = noter;
    }
    switch_usual = switch_to = switch_noted;
    trail_on = true;
    interrupts_restore(earlier);
}
