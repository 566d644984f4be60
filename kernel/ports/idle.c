// SPDX-License-Identifier: MIT OR Apache-2.0
// The ways to idle that replace the kernel's own (clock.c), and the counting of idle time.
#include "core/call.h"
#include "core/profile.h"
#include "machine.h"
#include "oem.h"
#include "port.h"

void (*pOEMIdle)(void);
volatile DWORD curridlelow, curridlehigh;
DWORD idleconv;
static uint64_t halted_cycles; // the counter's value when the CPU was halted

void idle_end(void);

// Called when the CPU stops idling, because a thread is switched to or because the halt has returned.
void idle_end(void)
{
    uint64_t idle = ((uint64_t)curridlehigh << 32 | curridlelow) + (cycles_now() - halted_cycles);
    curridlelow = (DWORD)idle;
    curridlehigh = (DWORD)(idle >> 32);
    switch_to = switch_usual;
}

// KB 319432 (CE 3.0 on SH): if an interrupt is pending when the sleep instruction executes, its ISR runs and returns to that
// instruction, so the interrupt's thread runs only after the next interrupt.
static void sleep_twice(void)
{
    gate_close();
    processor_wait_twice();
    kernel_leave();
    interrupts_mask();
}

void oem_idle_tick(void)
{
    idleconv = (DWORD)(counter_hz / 1000);
    if (profile.sleep_defect && interrupt_waits()) {
        sleep_twice();
        return;
    }
    halted_cycles = cycles_now();
    switch_to = switch_from_idle;
    processor_wait();
    interrupts_mask();
    if (switch_to == switch_from_idle)
        idle_end();
}

void oem_idle_return(void)
{
}

DWORD GetIdleTime(void)
{
    uint64_t idle = (uint64_t)curridlehigh << 32 | curridlelow;
    return idleconv == 0 ? MAXDWORD : (DWORD)(idle / idleconv);
}
