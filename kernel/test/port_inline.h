// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of port.h in a process, where threads are fibers and interrupts are calls. Also hooks that only tests use.
#ifndef DETENT_PORT_INLINE_H
#define DETENT_PORT_INLINE_H

#include <stdlib.h>

// For tests: a hook to interrupt a kernel call just before it opens the gate.
extern void (*port_before_open)(void);

extern void (*port_before_close)(void); // the same just before the gate is closed

static inline void gate_close(void)
{
    if (port_before_close != NULL)
        port_before_close();
    kernel_gate++;
}

static inline bool gate_open_found_pending(void)
{
    if (port_before_open != NULL)
        port_before_open();
    return --kernel_gate == 0;
}

extern void (*port_before_look)(void); // the same between two steps of a call

static inline bool gate_has_pending(void)
{
    if (port_before_look != NULL)
        port_before_look();
    return kernel_gate == 1;
}

static inline void clock_resume_soon(void)
{
}

static inline uintptr_t interrupts_save(void)
{
    return 0;
}

static inline void interrupts_restore(uintptr_t earlier)
{
    (void)earlier;
}

static inline void interrupts_mask(void)
{
}
static inline void interrupts_unmask(void)
{
}

extern const ISR port_walkers[IRQ_LINES];

static inline ISR line_walker(unsigned irq)
{
    return port_walkers[irq];
}

static inline uint64_t pending_take(void)
{
    if (kernel_gate > 1)
        abort(); // closed more than once, or no interrupt pending
    uint64_t pending = kernel_pending;
    kernel_gate = GATE_OPEN + 1;
    kernel_pending = 0;
    return pending;
}

static inline void pending_add(unsigned sysintr)
{
    kernel_pending |= 1ull << sysintr;
    kernel_gate &= ~GATE_OPEN;
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

// For tests: an interrupt at this instant, whose ISR returns `answer`.
void port_interrupt(DWORD answer);
void port_start(uint64_t now_ms); // starts a fresh kernel; the caller becomes the idle thread
extern ISR port_isrs[IRQ_LINES];
extern unsigned port_masked_lines, port_disabled_lines, port_level_lines; // one bit for each line
extern void (*port_in_mask)(void);                                        // called while a line is masked or unmasked
extern unsigned port_active_reads;                                        // how often line_is_active returns true

#endif
