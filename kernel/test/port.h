// SPDX-License-Identifier: MIT OR Apache-2.0
// What the core asks of a machine, played by a process: threads are fibers, interrupts are calls.
#ifndef DETENT_PORT_H
#define DETENT_PORT_H

#include "core.h"

extern void (*port_before_open)(void); // a test's chance to interrupt inside a kernel call

static inline void gate_close(void) { kernel_gate++; }

static inline bool gate_open(void)
{
    if (port_before_open != NULL)
        port_before_open();
    return --kernel_gate == 0;
}

static inline void interrupts_mask(void) {}

static inline uint64_t pending_take(void)
{
    ASSERT(kernel_gate == 0);
    uint64_t pending = kernel_pending;
    kernel_gate = GATE_OPEN + 1;
    kernel_pending = 0;
    return pending;
}

static inline bool interlocked_claim(volatile uintptr_t *target, uintptr_t expected, uintptr_t value)
{
    if (*target != expected)
        return false;
    *target = value;
    return true;
}

static inline int32_t interlocked_compare_exchange(volatile int32_t *target, int32_t value, int32_t expected)
{
    int32_t seen = *target;
    if (seen == expected)
        *target = value;
    return seen;
}

static inline int32_t interlocked_add(volatile int32_t *target, int32_t value)
{
    int32_t seen = *target;
    *target = (int32_t)((uint32_t)seen + (uint32_t)value);
    return seen;
}

void switch_to(void **from, void *to);
void *stack_prepare(void *top);
void clock_resume(void);
void clock_resume_soon(void);
bool line_connect(unsigned irq, ISR isr);
void line_mask(unsigned irq, bool masked);
bool line_is_active(unsigned irq);
uint64_t counter_read(void);
void console_put(char c);
const char *symbol_name(uintptr_t address, uintptr_t *offset);
CHAIN_ISR chain_routine_find(const char *module, const char *routine);
_Noreturn void machine_stop(bool failed);

// For tests: an interrupt whose ISR gives that answer, at this instant.
void port_interrupt(DWORD answer);
void port_start(uint64_t now_ms); // a fresh kernel; the caller is the idle thread
extern ISR port_isrs[IRQ_LINES];
extern unsigned port_masked_lines; // a bit each
extern unsigned port_active_reads; // how often line_is_active says yes

#endif
