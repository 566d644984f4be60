// SPDX-License-Identifier: MIT OR Apache-2.0
// The groups of figures, one file each. Each function measures and prints its group; false if a figure misses its goal.
#ifndef DETENT_FIGURES_ALL_H
#define DETENT_FIGURES_ALL_H

#include <stdbool.h>

bool figures_of_interrupts(void);
bool figures_of_switches(void);
bool figures_of_locks(void);
bool figures_of_calls(void);
bool figures_of_fpu(void);
bool figures_by_sweep(void);

#endif
