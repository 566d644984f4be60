// SPDX-License-Identifier: MIT OR Apache-2.0
// The tick: one-shot timer interrupts at absolute instants of the time stamp counter, so that nothing
// accumulates; while idle, one interrupt at the next timeout instead of one each tick.
#include "core.h"
#include "machine.h"

#define APIC_LVT_TIMER 0x320
#define APIC_TIMER_INITIAL 0x380

static uint64_t tick_cycles;      // between ticks
static uint64_t next_tick_cycles; // the counter's value at the next tick
static bool stopped;              // the timer stands on a later tick than the next
static DWORD (*tick_hook)(DWORD answer);

static void timer_arm(uint64_t now_cycles, uint64_t at_cycles)
{
    uint64_t counts = ((at_cycles - now_cycles) * timer_counts_scaled >> 24) + 1;
    apic_write(APIC_TIMER_INITIAL, counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts);
}

void clock_start(void)
{
    tick_cycles = counter_hz / 1000 * profile.tick_ms;
    uint64_t now_cycles = tsc_read();
    next_tick_cycles = now_cycles + tick_cycles;
    apic_write(APIC_LVT_TIMER, VECTOR_TICK);
    timer_arm(now_cycles, next_tick_cycles);
}

uint64_t clock_next_tick(void) { return next_tick_cycles; }

void clock_hook(DWORD (*after_tick)(DWORD answer)) { tick_hook = after_tick; }

// Counts the ticks up to now and arms the timer for the one after. The timer may be early by its rounding.
static DWORD clock_advance(void)
{
    uint64_t now_cycles = tsc_read(), late_cycles = now_cycles - next_tick_cycles, ticks = 1;
    if ((int64_t)late_cycles < 0) {
        timer_arm(now_cycles, next_tick_cycles);
        return SYSINTR_NOP;
    }
    if (late_cycles >= tick_cycles)
        ticks += late_cycles / tick_cycles;
    next_tick_cycles += ticks * tick_cycles;
    timer_arm(now_cycles, next_tick_cycles);
    return timeout_tick((uint32_t)ticks * profile.tick_ms);
}

DWORD clock_isr(void)
{
    DWORD answer = clock_advance();
    return tick_hook != NULL ? tick_hook(answer) : answer;
}

// Masked: the tick's own interrupt does the same.
void clock_resume(void)
{
    interrupts_mask();
    if (stopped) {
        stopped = false;
        if (clock_advance() == SYSINTR_RESCHED)
            pending_add(SYSINTR_RESCHED);
    }
    interrupts_unmask();
}

// Masked. With bit 0 pending, whatever ends idling resumes the clock before any thread runs.
static void clock_stop(uint32_t idle_ms)
{
    if (idle_ms <= profile.tick_ms)
        return;
    uint64_t ticks = (idle_ms - 1) / profile.tick_ms;
    timer_arm(tsc_read(), next_tick_cycles + ticks * tick_cycles);
    stopped = true;
    kernel_pending |= 1;
}

_Noreturn void idle_run(void)
{
    for (;;) {
        interrupts_mask();
        clock_stop(timeout_idle_ms());
        __asm__ volatile("sti\n\thlt" : : : "memory");
        clock_resume();
    }
}
