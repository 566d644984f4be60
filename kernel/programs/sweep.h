// SPDX-License-Identifier: MIT OR Apache-2.0
// The sweep: interrupts a call at every instruction and measures the delays.
#ifndef DETENT_SWEEP_H
#define DETENT_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "programs/heavy.h"

struct sweep_call {
    const char *name;
    void (*run)(void);
    void (*prepare)(void), (*restore)(void); // called outside the swept part; may be NULL
    uint32_t instants;                       // 0: the length of the first run
    bool idles; // the call idles for a millisecond or more, so no pairs of instants are tried
};

// The longest delay over all instants, the code that the interrupt found, and the heavy instructions during the delay.
struct worst {
    uint32_t value;
    uint64_t where;
    const char *call;
    char heavy[HEAVY_CHARS];
};

// Delays in instructions since the interrupt was due, over all swept instants.
struct sweep {
    const char *call;
    uint32_t isr_least, ist_least;
    struct worst isr, ist;
    struct worst closed; // most instants in a row with the gate closed and no interrupt handled; `heavy` is not used
    uint32_t runs, lost;
    uint32_t length;  // instructions of the undisturbed call
    uint32_t covered; // number of different instructions at which an interrupt has come
    bool may_pass;
    uint32_t closed_now, delay_before; // instants so far that `closed` counts; delay at the previous instant
    uint32_t ist_last;                 // delay in the previous run
};

bool sweep_init(void); // if the machine lacks a timer for it, prints a line and returns false
void sweep_end(void);
// Sweeps all instants of one call. tick_lead: if not 0, a tick with a timeout is due this many cycles after the call's
// preparation.
void sweep_begin(struct sweep *sweep, const char *name);
void sweep_call(struct sweep *sweep, const struct sweep_call *call, uint32_t tick_lead);
// Sweeps every `step`-th instant of a call of any length. Also tries the instants in between if one of them could have
// a longer delay than the longest so far. Until preemption is possible, the delay grows by one instruction with each
// earlier instant.
void sweep_call_in_steps(struct sweep *sweep, const struct sweep_call *call, uint32_t step, uint32_t tick_lead);
// Whether every instruction was interrupted, and every interrupt answered.
bool sweep_is_whole(const struct sweep *sweep);
void sweep_print(const struct sweep *sweep);
// Prints a figure that is not the difference of two stamps: by how much a delay exceeds the smallest delay. False if
// the figure misses its goal.
bool worst_figure_print(const char *name, const struct worst *worst, uint32_t goal, uint32_t peer, uint32_t count);
void worst_update(struct worst *worst, const struct worst *other);
// Measures an interrupt while the gate is closed. *isr_exit: from the ISR's end back to the interrupted code.
// *schedule: from there, once the gate is opened, to the interrupt thread.
void sweep_closed(uint32_t *isr_exit, uint32_t *schedule);

// Idles until an interrupt other than the timer's; then the caller continues.
void sweep_idle_until_woken(void);
void sweep_woken(void); // to be called by that interrupt's thread, unless it is the sweep's own thread

#endif
