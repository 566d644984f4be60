// SPDX-License-Identifier: MIT OR Apache-2.0
// What must hold of the kernel's data whenever the gate is opened, found by looking at all of it.
#ifndef DETENT_INVARIANTS_H
#define DETENT_INVARIANTS_H

#include <stdbool.h>

// NULL, or the invariant that does not hold. The caller has closed the gate once.
const char *invariants_broken(void);

// The same with the invariants that may be broken during a call: for when no thread is inside a call, except those that wait in
// one.
const char *invariants_broken_at_rest(void);

#endif
