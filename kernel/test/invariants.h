// SPDX-License-Identifier: MIT OR Apache-2.0
// What must hold of the kernel's data whenever the gate is opened, found by looking at all of it.
#ifndef DETENT_INVARIANTS_H
#define DETENT_INVARIANTS_H

#include <stdbool.h>

// NULL, or what does not hold. The gate must be closed, once.
const char *invariants_broken(void);

// The same for what need not hold in the midst of a call: when no thread is inside one but those that wait.
const char *invariants_broken_at_rest(void);

#endif
