// SPDX-License-Identifier: MIT OR Apache-2.0
// Documented defects of CE's kernels, as switches of the profiles. A switch that is off costs nothing.
#ifndef DETENT_DEFECTS_H
#define DETENT_DEFECTS_H

#include <stdint.h>

extern uint32_t irq_forgotten; // interrupts that an imitated defect has lost

// Call with the gate closed at the end of a delivery. `seen`: the bits that were pending at its beginning.
void irq_forget(uint64_t seen);

#endif
