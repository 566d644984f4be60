// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of port.h on arm64. Before ARMv8.1, no instruction both reads and writes memory. So the gate's word is a
// register, x28; there is one CPU. Opening and closing the gate take one instruction each, and all other code preserves x28.
// kernel_gate (core/gate.h) is not used.
#ifndef DETENT_PORT_INLINE_H
#define DETENT_PORT_INLINE_H

#include "arm64/machine.h"

// The assembly's output is the CPU's flag; if the compiler does not support that, one more instruction converts the flag to a
// value.
#ifdef __GCC_ASM_FLAG_OUTPUTS__
#define ZERO_SEEN
#define ZERO_OUTPUT(value) "=@cceq"(value)
#define ZERO_CLOBBERS
#else
#define ZERO_SEEN "\n\tcset %w0, eq"
#define ZERO_OUTPUT(value) "=r"(value)
#define ZERO_CLOBBERS "cc",
#endif

static inline void gate_close(void)
{
    __asm__ volatile("add w28, w28, #1" : : : "memory");
}

static inline bool gate_open_found_pending(void)
{
    bool pending;
    __asm__ volatile("subs w28, w28, #1" ZERO_SEEN : ZERO_OUTPUT(pending) : : ZERO_CLOBBERS "memory");
    return pending;
}

static inline bool gate_has_pending(void)
{
    bool pending;
    __asm__ volatile("cmp w28, #1" ZERO_SEEN : ZERO_OUTPUT(pending) : : ZERO_CLOBBERS "memory");
    return pending;
}

static inline uint32_t gate_word(void)
{
    uint32_t word;
    __asm__ volatile("mov %w0, w28" : "=r"(word) : : "memory");
    return word;
}

static inline uintptr_t interrupts_save(void)
{
    uintptr_t earlier;
    __asm__ volatile("mrs %0, daif\n\tmsr daifset, #2" : "=r"(earlier) : : "memory");
    return earlier;
}

static inline void interrupts_restore(uintptr_t earlier)
{
    __asm__ volatile("msr daif, %0" : : "r"(earlier) : "memory");
}

static inline void interrupts_mask(void)
{
    __asm__ volatile("msr daifset, #2" : : : "memory");
}
static inline void interrupts_unmask(void)
{
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

// Three instructions run with interrupts disabled, and more if the compiler must first load the address.
static inline uint64_t pending_take(void)
{
    interrupts_mask();
    uint64_t pending = kernel_pending;
    kernel_pending = 0;
    __asm__ volatile("mov w28, %w0" : : "i"(GATE_OPEN + 1) : "memory");
    interrupts_unmask();
    return pending;
}

// Sets the bit before it changes the gate, as interrupt_answered in entry.S does.
static inline void pending_add(unsigned sysintr)
{
    uintptr_t earlier = interrupts_save();
    kernel_pending |= (uint64_t)1 << sysintr;
    __asm__ volatile("and w28, w28, %w0" : : "i"(~GATE_OPEN) : "memory");
    interrupts_restore(earlier);
}

// Call with interrupts masked.
static inline void pending_add_clock_stopped(void)
{
    kernel_pending |= 1ull << PENDING_CLOCK_STOPPED;
}

extern const char line_walkers[]; // defined in entry.S

static inline ISR line_walker(unsigned irq)
{
    return (ISR)(uintptr_t)(line_walkers + LINE_STUB_BYTES * irq);
}

extern uint32_t timer_counts_tick; // timer counts from tick to tick

static inline void clock_resume_soon(void)
{
    uint64_t soon = cycles_now() + timer_counts_tick;
    if (SYSTEM_READ(cntv_cval_el0) > soon)
        SYSTEM_WRITE(cntv_cval_el0, soon);
}

// The CPU's atomic instructions do not support unaligned addresses.
static inline bool interlocked_claim_masked(volatile uintptr_t *target, uintptr_t expected, uintptr_t value)
{
    uintptr_t earlier = interrupts_save();
    bool claimed = *target == expected;
    if (claimed)
        *target = value;
    interrupts_restore(earlier);
    return claimed;
}

// A program may have its critical sections at any address.
static inline bool interlocked_claim(volatile uintptr_t *target, uintptr_t expected, uintptr_t value)
{
    if (__builtin_expect((uintptr_t)target % sizeof *target != 0, 0))
        return interlocked_claim_masked(target, expected, value);
    return __atomic_compare_exchange_n(target, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline int32_t interlocked_compare_exchange(volatile int32_t *target, int32_t value, int32_t expected)
{
    __atomic_compare_exchange_n(target, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

static inline int32_t interlocked_add(volatile int32_t *target, int32_t value)
{
    return __atomic_fetch_add(target, value, __ATOMIC_SEQ_CST);
}

#endif
