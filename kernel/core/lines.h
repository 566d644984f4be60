// SPDX-License-Identifier: MIT OR Apache-2.0
// Level-triggered lines: the device requests an interrupt until it is served. So the kernel masks the line from its ISR's answer
// to InterruptDone; otherwise the line would interrupt without end. Edge-triggered lines are not masked in service, because an
// edge would be lost.
#ifndef DETENT_LINES_H
#define DETENT_LINES_H

#include <stdint.h>

extern uint32_t lines_level; // one bit for each level-triggered line

// Called from the line's ISR: masks the line until InterruptDone of that SYSINTR.
void line_answered(unsigned irq, uint32_t sysintr);
// Gate closed. Removes the lines that wait for that SYSINTR and returns them, one bit each. The caller must unmask
// each.
uint32_t lines_take(unsigned sysintr);
uint32_t lines_unmask_first(uint32_t lines); // unmasks the first of the lines; returns the others

#endif
