// SPDX-License-Identifier: MIT OR Apache-2.0
// Functions of the kernel that keep interrupts out for as long as is wanted.
#pragma once

#include <stdint.h>

// One of them.
struct mask;

// The entry with this name, or NULL. `for_ns`: how long it shall keep interrupts disabled. Exits with 4 if the system does not
// allow it.
const struct mask *mask_prepare(const char *name, int64_t for_ns);

// Prepares each call.
void mask_arm(const struct mask *mask);

// Keeps interrupts disabled once, in a system call.
void mask_call(const struct mask *mask);
