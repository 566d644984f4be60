// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of a timeout (timeouts.h).
#ifndef DETENT_TIMEOUT_H
#define DETENT_TIMEOUT_H

#include <stdint.h>

// Each thread has one timeout, which is queued while the thread has STATE_SLEEPING.
struct timeout {
    struct timeout *next, *prev; // neighbours in the circular list of the slot
    uint64_t expiry_ms;
};

#endif
