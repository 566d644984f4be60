// SPDX-License-Identifier: MIT OR Apache-2.0
// The interfaces of CE's kernels for the OEM's layer: two timer interfaces and OEMIdle. The kernel updates the
// variables before the timer's rule or OEMIdle reads them. The kernel keeps its own time elsewhere (core/timeouts.h),
// so writing the variables has no effect. Sources: the papers' timer ISR for CE 2.10 to 3.0; Platform Builder's
// documentation of dwReschedTime from CE .NET on.
#ifndef DETENT_OEM_H
#define DETENT_OEM_H

#include "detent.h"

#ifdef __cplusplus
extern "C" {
#endif

// CurMSec and dwReschedTime are milliseconds since the start; they wrap around.
extern volatile DWORD CurMSec;

// timer=1. DiffMSec: milliseconds since the scheduler last ran. dwPreempt, dwSleepMin: the DiffMSec at which the running thread's
// turn ends, and at which the first timeout is due (0: never). ticksleft: ticks that the scheduler has yet to process.
extern volatile DWORD DiffMSec, dwPreempt, dwSleepMin, ticksleft;

// timer=2. The time at which the scheduler is needed next.
extern volatile DWORD dwReschedTime;

enum { TIMER_DETENT, TIMER_PREEMPT, TIMER_RESCHED }; // values of profile.timer
void oem_timer_init(void);
void oem_timer_update(void);        // from the timer's ISR, or with interrupts masked: updates the variables
DWORD oem_timer_tick(DWORD answer); // from the timer's ISR: returns the answer that the profile's interface gives

// Called with interrupts disabled when no thread is ready, instead of the kernel's own idling. It may halt the CPU, and returns
// with interrupts disabled. NULL: the kernel idles and sets the timer to the next timeout.
extern void (*pOEMIdle)(void);
void oem_idle_tick(void);   // idle=1: halts until the next interrupt, ticks included, and counts the time
void oem_idle_return(void); // idle=2: does nothing

// Idle time counted by OEMIdle, as two halves; idleconv counts are one millisecond. While idleconv is 0, GetIdleTime returns
// MAXDWORD.
extern volatile DWORD curridlelow, curridlehigh;
extern DWORD idleconv;

#ifdef __cplusplus
}
#endif

#endif
