// SPDX-License-Identifier: MIT OR Apache-2.0
// A profile: the behaviour of one CE version.
#ifndef DETENT_PROFILE_H
#define DETENT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct profile {
    const char *name;
    uint32_t tick_ms;
    uint32_t priority_levels;       // 256 or 8
    uint32_t quantum_ms;            // quantum of a new thread
    bool inheritance_chain;         // inheritance along the whole chain of owners, not only one level
    bool nesting;                   // interrupts of higher priority can interrupt an ISR
    bool split_calls;               // long kernel calls open the gate between their steps
    bool new_thread_quantum_defect; // a new thread has no quantum left, so any interrupt may end its turn
    bool done_at_tick;              // InterruptDone takes effect at the next tick
    bool wait_multiple_interrupt;   // an interrupt's event may be used in WaitForMultipleObjects
    uint32_t timer;                 // oem.h: TIMER_DETENT or one of CE's two interfaces
    uint32_t idle;                  // 0: the kernel's own, 1: halts to the next tick, 2: returns at once (oem.h)
    bool sleep_defect;              // KB 319432, with idle=1: implemented in the port
    bool bitmask_defect;            // KB 260302: core/defects.c
    bool list_defect;               // KB 324866: core/defects.c
    bool time_critical_completes;   // KB 248685: only an ISR preempts TIME_CRITICAL threads, no quantum ends
};

extern struct profile profile;
extern const struct profile profiles[]; // the last one has no name

bool profile_choose(const char *name); // false if there is no profile of that name

// profile_old_level converts an old level 0 to 7 to a priority; profile_priority adapts a priority to this profile.
uint32_t profile_old_level(uint32_t old_level);
uint32_t profile_priority(uint32_t priority);

#endif
