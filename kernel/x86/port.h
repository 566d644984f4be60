// SPDX-License-Identifier: MIT OR Apache-2.0
// What the core asks of a PC. One CPU: an instruction that reads and writes memory is whole with respect
// to interrupts, so no lock prefix is needed anywhere.
#ifndef DETENT_PORT_H
#define DETENT_PORT_H

#include "core.h"

static inline void gate_close(void)
{
    __asm__ volatile("incl %0" : "+m"(kernel_gate) : : "cc", "memory");
}

// True when the caller was the last to open it and something is pending.
static inline bool gate_open(void)
{
    bool pending;
    __asm__ volatile("decl %1" : "=@ccz"(pending), "+m"(kernel_gate) : : "memory");
    return pending;
}

static inline void interrupts_mask(void) { __asm__ volatile("cli" : : : "memory"); }
static inline void interrupts_unmask(void) { __asm__ volatile("sti" : : : "memory"); }

// Closes the gate, whose depth is 0, and takes all pending bits; four instructions masked.
static inline uint64_t pending_take(void)
{
    uint64_t pending;
    __asm__ volatile("cli\n\t"
                     "movl %3, %1\n\t"
                     "movq %2, %0\n\t"
                     "movq $0, %2\n\t"
                     "sti"
                     : "=&r"(pending), "=m"(kernel_gate), "+m"(kernel_pending)
                     : "i"(GATE_OPEN + 1)
                     : "memory");
    return pending;
}

// From a thread with the gate closed: what irq exit does for an ISR.
static inline void pending_add(unsigned sysintr)
{
    __asm__ volatile("btsq %2, %1\n\tbtrl $31, %0"
                     : "+m"(kernel_gate), "+m"(kernel_pending)
                     : "r"((uint64_t)sysintr)
                     : "cc", "memory");
}

// Writes value if *target is expected; true if it was.
static inline bool interlocked_claim(volatile uintptr_t *target, uintptr_t expected, uintptr_t value)
{
    bool claimed;
    __asm__ volatile("cmpxchgq %3, %1"
                     : "=@ccz"(claimed), "+m"(*target), "+a"(expected)
                     : "r"(value)
                     : "memory");
    return claimed;
}

static inline int32_t interlocked_compare_exchange(volatile int32_t *target, int32_t value, int32_t expected)
{
    __asm__ volatile("cmpxchgl %2, %1" : "+a"(expected), "+m"(*target) : "r"(value) : "cc", "memory");
    return expected;
}

static inline int32_t interlocked_add(volatile int32_t *target, int32_t value)
{
    __asm__ volatile("xaddl %0, %1" : "+r"(value), "+m"(*target) : : "cc", "memory");
    return value;
}

// switch_to (entry.S) leaves the running thread's registers on its stack, its stack pointer in *from,
// and takes up the other where it once left off.
void switch_to(void **from, void *to);

// The stack of a thread that will begin in thread_begin.
void *stack_prepare(void *top);

// clock.c: counts what has passed while the clock was stopped; gate closed.
void clock_resume(void);
// An interrupt other than the timer's has ended idling: the timer will count, and resume, within one tick.
void clock_resume_soon(void);
uint64_t counter_read(void);
extern uint64_t counter_hz;

// lines.c: false when the machine has no such line. NULL masks it.
bool line_connect(unsigned irq, ISR isr);
void line_mask(unsigned irq, bool masked);
bool line_is_active(unsigned irq);

void trail_start(void); // redirect.c
void console_put(char c);
int console_get(void); // -1 when nothing has come
const char *symbol_name(uintptr_t address, uintptr_t *offset);
CHAIN_ISR chain_routine_find(const char *module, const char *routine);
_Noreturn void machine_stop(bool failed);

#endif
