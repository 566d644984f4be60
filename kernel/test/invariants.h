// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks what must hold for the kernel's data whenever the gate is opened, by reading all of it.
#ifndef DETENT_INVARIANTS_H
#define DETENT_INVARIANTS_H

#include <stdbool.h>

// NULL, or the invariant that does not hold. The caller has closed the gate once.
const char *invariants_broken(void);

// The same, including the invariants that may be broken during a call. No thread may be inside a call, unless it waits there.
const char *invariants_broken_at_rest(void);

#endif
