// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a timeout (timeouts.h).
#ifndef DETENT_TIMEOUT_H
#define DETENT_TIMEOUT_H

#include <stdint.h>

// One per thread; queued while the thread has STATE_SLEEPING.
struct timeout {
    struct timeout *next, *prev; // circular list of its slot
    uint64_t expiry_ms;
};

#endif
