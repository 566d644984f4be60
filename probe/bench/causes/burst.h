// SPDX-License-Identifier: MIT OR Apache-2.0
// One interrupt of the processor's timer that takes as long as is wanted: so many timers expire at one instant.
#pragma once

#include <stdint.h>

// Makes as many as the interrupt has to serve for it to take `for_ns` on this processor. Exits with 4 where the system does not let it.
void burst_prepare(int64_t for_ns);

// All of them expire at that instant of the monotonic clock, on the processor of who calls.
void burst_arm(int64_t at_ns);
