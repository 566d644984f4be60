// SPDX-License-Identifier: MIT OR Apache-2.0
// One long interrupt of the CPU's timer: many timers expire at the same instant.
#pragma once

#include <stdint.h>

// Prepares the number of timers with which their interrupt takes `for_ns` on this CPU. Exits with 4 if the system does not allow
// it.
void burst_prepare(int64_t for_ns);

// Sets all timers to expire at that time of the monotonic clock, on the caller's CPU.
void burst_arm(int64_t at_ns);
