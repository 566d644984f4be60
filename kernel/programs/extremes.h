// SPDX-License-Identifier: MIT OR Apache-2.0
// Extremes: calls that a program makes while the kernel's tables are full. Each extreme consists of the call to sweep
// and the threads that it needs.
#ifndef DETENT_EXTREMES_H
#define DETENT_EXTREMES_H

#include "detent.h"
#include "programs/sweep_calls.h"

struct extreme {
    struct sweep_call call;
    void (*begin)(void); // called once, before the sweep
    void (*end)(void);   // called once, after the sweep and the end of its threads; may be NULL
};

// The last entry of each table has no name.
extern const struct extreme extremes_of_crowds[], extremes_of_locks[], extremes_of_chains[], extremes_of_interrupts[];

#define EXTREME_HIGH 5 // higher than the sweeping thread
#define EXTREME_MIDDLE 15
#define EXTREME_OWN 20 // priority of the sweeping thread
#define EXTREME_LOW 30
#define EXTREME_LOWEST 40

// Starts `count` threads of that priority, which run `start` with a number from 0 on. If the priority is above the
// caller's, all of them already wait when this function returns.
void extreme_threads(unsigned count, LPTHREAD_START_ROUTINE start, int priority);
HANDLE extreme_thread(unsigned number); // `number` counts all started threads, from 0

#endif
