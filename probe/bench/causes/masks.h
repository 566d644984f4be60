// SPDX-License-Identifier: MIT OR Apache-2.0
// System calls in which the kernel disables interrupts for a chosen time.
#pragma once

#include <stdint.h>

// A system call that disables interrupts.
struct mask;

// Prepares the system call with this name, to disable interrupts for `for_ns`. NULL if there is none. Exits with 4 if the system
// does not allow it.
const struct mask *mask_prepare(const char *name, int64_t for_ns);

// Call it before each mask_call.
void mask_arm(const struct mask *mask);

// Makes the system call once.
void mask_call(const struct mask *mask);
