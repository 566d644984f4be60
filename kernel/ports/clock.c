// SPDX-License-Identifier: MIT OR Apache-2.0
// The tick: one-shot timer interrupts at absolute values of the counter, so that errors do not accumulate. While the CPU is idle,
// one interrupt at the next timeout replaces the ticks.
#include "board.h"
#include "core/likely.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/thread.h"
#include "core/timeouts.h"
#include "machine.h"
#include "oem.h"
#include "port.h"

static uint64_t tick_cycles; // cycles between two ticks
uint32_t timer_counts_tick;
static uint64_t next_tick_cycles; // the counter's value at the next tick
static uint64_t seen_cycles;      // the counter's value at the last check for a tick
static DWORD (*tick_hook)(DWORD answer);

static void timer_arm(uint64_t now_cycles, uint64_t at_cycles)
{
    timer_set(now_cycles, at_cycles);
}

SELDOM void clock_restart(uint32_t cycles)
{
    uintptr_t earlier = interrupts_save();
    uint64_t now_cycles = cycles_now();
    next_tick_cycles = now_cycles + cycles;
    timer_arm(now_cycles, next_tick_cycles);
    interrupts_restore(earlier);
}

SELDOM void clock_start(void)
{
    tick_cycles = clock_tick_counts();
    timer_counts_tick = timer_counts_of(tick_cycles);
    timer_connect();
    clock_hook(NULL);
    static void (*const ways_to_idle[])(void) = {NULL, oem_idle_tick, oem_idle_return};
    pOEMIdle = ways_to_idle[profile.idle];
    clock_restart((uint32_t)tick_cycles);
}

uint64_t clock_tick_due(void)
{
    return next_tick_cycles - tick_cycles;
}
uint64_t clock_tick_seen(void)
{
    return seen_cycles;
}

void clock_hook(DWORD (*after_tick)(DWORD answer))
{
    tick_hook = after_tick != NULL || profile.timer == TIMER_DETENT ? after_tick : oem_timer_tick;
}

// Counts the ticks up to now and sets the timer to the next one. Returns 0 if the timer fired early because of rounding.
static uint64_t clock_advance(void)
{
    uint64_t now_cycles = cycles_now(), late_cycles = now_cycles - next_tick_cycles, ticks = 0;
    seen_cycles = now_cycles;
    if ((int64_t)late_cycles >= 0) {
        ticks = 1;
        if (late_cycles >= tick_cycles)
            ticks += late_cycles / tick_cycles;
        next_tick_cycles += ticks * tick_cycles;
    }
    timer_arm(now_cycles, next_tick_cycles);
    return ticks;
}

// Idle time uses up no thread's quantum.
static DWORD clock_count(void)
{
    uint32_t elapsed_ms = (uint32_t)clock_advance() * profile.tick_ms;
    if (LIKELY(!kernel.clock_stopped))
        return elapsed_ms == 0 ? SYSINTR_NOP : timeout_tick(elapsed_ms);
    kernel.clock_stopped = false;
    return timeout_pass(elapsed_ms);
}

// If the tick comes while a thread is counting ticks, the tick's ISR only makes the thread count again.
enum { COUNTING_NOT, COUNTING, COUNTING_AGAIN };
static volatile int32_t counting;

DWORD clock_isr(void)
{
    if (UNLIKELY(counting != COUNTING_NOT)) {
        counting = COUNTING_AGAIN;
        timer_quiet();
        return SYSINTR_NOP;
    }
    DWORD answer = clock_count();
    return UNLIKELY(tick_hook != NULL) ? tick_hook(answer) : answer;
}

// Interrupts stay enabled while the thread counts, because a division and timer accesses take long.
void clock_resume(void)
{
    if (!kernel.clock_stopped)
        return;
    do {
        counting = COUNTING;
        if (clock_count() == SYSINTR_RESCHED)
            pending_add(SYSINTR_RESCHED);
    } while (interlocked_compare_exchange(&counting, COUNTING_NOT, COUNTING) != COUNTING);
}

// Waits for an interrupt, with the timer set to the next timeout. It computes the time of that timeout with interrupts
// enabled, and then checks whether an interrupt has changed it.
static void clock_stop_and_wait(void)
{
    uint64_t resched_ms = kernel.resched_ms;
    uint32_t idle_ms = timeout_idle_ms();
    uint64_t at_cycles = next_tick_cycles;
    if (idle_ms > profile.tick_ms)
        at_cycles += (idle_ms - 1) / profile.tick_ms * tick_cycles;
    interrupts_mask();
    if (LIKELY(resched_ms == kernel.resched_ms)) {
        if (at_cycles != next_tick_cycles) {
            timer_arm(cycles_now(), at_cycles);
            kernel.clock_stopped = true;
            pending_add_clock_stopped();
        }
        processor_wait();
    }
    interrupts_unmask();
}

_Noreturn void idle_run(void)
{
    for (;;) {
        if (LIKELY(pOEMIdle == NULL)) {
            clock_stop_and_wait();
        } else {
            interrupts_mask();
            oem_timer_update();
            pOEMIdle();
            interrupts_unmask();
        }
        clock_resume();
    }
}
