// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of a program in user mode that depend on an arm64 CPU.
#ifndef DETENT_USER_INLINE_H
#define DETENT_USER_INLINE_H

#include <stdbool.h>
#include <stdint.h>

// Memory that a program may not access: the kernel's image, and its device registers.
#define KERNEL_ADDRESS 0x40200000
#define DEVICE_ADDRESS 0x09000000

static inline uint64_t counter_now(void)
{
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count) : : "memory");
    return count;
}

static inline uint32_t stamp(void) // the low half of the counter, in one instruction
{
    return (uint32_t)counter_now();
}

static inline uint64_t stack_now(void)
{
    uint64_t stack;
    __asm__("mov %0, sp" : "=r"(stack));
    return stack;
}

// Anything that runs in between clears the exclusive monitor. Written by hand, because a compiler would retry even when the value
// differs.
static inline bool word_exchange(volatile uint32_t *word, uint32_t expected, uint32_t value)
{
    uint32_t found, failed;
    __asm__ volatile("1:\tldxr %w0, [%3]\n\t"
                     "cmp %w0, %w4\n\t"
                     "b.ne 2f\n\t"
                     "stxr %w1, %w5, [%3]\n\t"
                     "cbnz %w1, 1b\n"
                     "2:"
                     : "=&r"(found), "=&r"(failed), "+m"(*word)
                     : "r"(word), "r"(expected), "r"(value)
                     : "cc", "memory");
    return found == expected;
}

// Keeps the value in its floating-point register.
static inline void value_keep(double *value)
{
    __asm__ volatile("" : "+w"(*value));
}

#endif
