// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions of a program in user mode that depend on a PC's CPU.
#ifndef DETENT_USER_INLINE_H
#define DETENT_USER_INLINE_H

#include <stdbool.h>
#include <stdint.h>

// Memory that a program may not access: the kernel's image, and its device registers.
#define KERNEL_ADDRESS 0x100000
#define DEVICE_ADDRESS 0xFFFFFFFFFEE00000

static inline uint32_t stamp(void) // the low half of the counter, in one instruction
{
    uint32_t low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "rdx", "memory");
    return low;
}

static inline uint64_t counter_now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t stack_now(void)
{
    uint64_t stack;
    __asm__("movq %%rsp, %0" : "=r"(stack));
    return stack;
}

// There is one CPU, so a single instruction is atomic with respect to other threads.
static inline bool word_exchange(volatile uint32_t *word, uint32_t expected, uint32_t value)
{
    bool claimed;
    __asm__ volatile("cmpxchgl %3, %1" : "=@ccz"(claimed), "+m"(*word), "+a"(expected) : "r"(value) : "memory");
    return claimed;
}

// Keeps the value in its floating-point register.
static inline void value_keep(double *value)
{
    __asm__ volatile("" : "+x"(*value));
}

#endif
