// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of port.h on a PC. There is one CPU, and no interrupt comes inside an instruction that reads and writes
// memory, so no lock prefix is needed.
#ifndef DETENT_PORT_INLINE_H
#define DETENT_PORT_INLINE_H

#include "x86/machine.h"

static inline void gate_close(void)
{
    __asm__ volatile("incl %0" : "+m"(kernel_gate) : : "cc", "memory");
}

static inline bool gate_open_found_pending(void)
{
    bool pending;
    __asm__ volatile("decl %1" : "=@ccz"(pending), "+m"(kernel_gate) : : "memory");
    return pending;
}

static inline bool gate_has_pending(void)
{
    return kernel_gate == 1;
}

static inline uint32_t gate_word(void)
{
    return kernel_gate;
}

static inline uintptr_t interrupts_save(void)
{
    uintptr_t flags;
    __asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags) : : "memory");
    return flags;
}

static inline void interrupts_restore(uintptr_t earlier)
{
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(earlier) : "cc", "memory");
}

static inline void interrupts_mask(void)
{
    __asm__ volatile("cli" : : : "memory");
}
static inline void interrupts_unmask(void)
{
    __asm__ volatile("sti" : : : "memory");
}

// Four instructions with interrupts disabled.
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

// Sets the bit before it changes the gate, as interrupt_answered in entry.S does.
static inline void pending_add(unsigned sysintr)
{
    __asm__ volatile("btsq %2, %1\n\tbtrl $31, %0"
                     : "+m"(kernel_gate), "+m"(kernel_pending)
                     : "r"((uint64_t)sysintr)
                     : "cc", "memory");
}

// A single instruction: for a volatile word the compiler makes three, which would have to run with interrupts disabled.
static inline void pending_add_clock_stopped(void)
{
    __asm__("orq %1, %0" : "+m"(kernel_pending) : "i"(1ull << PENDING_CLOCK_STOPPED) : "cc");
}

extern const char line_walkers[]; // defined in entry.S

static inline ISR line_walker(unsigned irq)
{
    return (ISR)(uintptr_t)(line_walkers + LINE_STUB_BYTES * irq);
}

extern uint32_t timer_counts_tick; // timer counts from tick to tick

// Assembly, because the compiler would need two more instructions on the path from idling to an interrupt's thread.
static inline void clock_resume_soon(void)
{
    __asm__ volatile("movl %0, %%eax\n\t"
                     "cmpl %%eax, %c1\n\t"
                     "jbe 1f\n\t"
                     "movl %%eax, %c2\n"
                     "1:"
                     :
                     : "m"(timer_counts_tick), "i"(APIC_WINDOW + APIC_TIMER_CURRENT),
                       "i"(APIC_WINDOW + APIC_TIMER_INITIAL)
                     : "eax", "cc", "memory");
}

static inline bool interlocked_claim(volatile uintptr_t *target, uintptr_t expected, uintptr_t value)
{
    bool claimed;
    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(claimed), "+m"(*target), "+a"(expected) : "r"(value) : "memory");
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

#endif
