// SPDX-License-Identifier: MIT OR Apache-2.0
// Functions of the kernel that keep interrupts out for as long as is wanted.
#pragma once

#include <stdint.h>

// One of them.
struct mask;

// That of this name, or NULL; `for_ns` is how long it is to keep interrupts out. Exits with 4 where the system does not let it.
const struct mask *mask_prepare(const char *name, int64_t for_ns);

// What has to be done before each call.
void mask_arm(const struct mask *mask);

// Keeps them out once, in a system call.
void mask_call(const struct mask *mask);
