// SPDX-License-Identifier: MIT OR Apache-2.0
// CLOCK_MONOTONIC, which the kernel's trace uses too.
#pragma once

#include <stdint.h>

static const int64_t MILLISECOND = 1000000;
static const int64_t SECOND = 1000000000;

int64_t clock_now(void);

// CPU time of the calling thread.
int64_t clock_used(void);

// Returns at once if that time is past.
void clock_sleep_until(int64_t at_ns);

// Keeps the CPU busy.
void clock_spin_until(int64_t at_ns);
