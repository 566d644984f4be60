// SPDX-License-Identifier: MIT OR Apache-2.0
// The clock thread: a thread of the kernel that answers the timeouts that are not urgent (timeouts.h).
#ifndef DETENT_CLOCK_H
#define DETENT_CLOCK_H

void clock_thread_init(void);

#endif
