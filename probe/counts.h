// SPDX-License-Identifier: MIT OR Apache-2.0
// counts.h — converts times of the plan to counts of the clock.
#ifndef BACKWALL_PROBE_COUNTS_H
#define BACKWALL_PROBE_COUNTS_H

#include <stdint.h>

uint64_t counts_of_ns(uint64_t ns);

#endif
