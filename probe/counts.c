// SPDX-License-Identifier: MIT OR Apache-2.0
// Converts times of the plan to counts of the clock. The probe never converts a measured time.
#include "counts.h"

#include "port/port.h"

#define NS_PER_SECOND 1000000000u

// Converts whole seconds and the rest separately, so that no product overflows for a plan of years.
uint64_t counts_of_ns(uint64_t ns)
{
    uint64_t hz = port_clock_hz();

    return ns / NS_PER_SECOND * hz + ns % NS_PER_SECOND * hz / NS_PER_SECOND;
}
