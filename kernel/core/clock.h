// SPDX-License-Identifier: MIT OR Apache-2.0
// The clock thread, the kernel's own: it answers the timeouts that are in no hurry (timeouts.h).
#ifndef DETENT_CLOCK_H
#define DETENT_CLOCK_H

void clock_thread_init(void);

#endif
