// SPDX-License-Identifier: MIT OR Apache-2.0
// Floating point on arm64.
#ifndef DETENT_FPU_INLINE_H
#define DETENT_FPU_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#define FPCR_ROUNDS_UP 0x400000

typedef double fpu_other; // this CPU has one kind of registers

// As machine code, because a file that uses no floating point may not name the register: movi d0, #0.
static inline void fpu_use(void)
{
    __asm__ volatile(".inst 0x2F00E400");
}

static inline void fpu_fill(void)
{
    __asm__ volatile("movi v31.16b, #255\n\tmovi v0.16b, #255\n\tmsr fpcr, %0" : : "r"((uint64_t)FPCR_ROUNDS_UP));
}

static inline bool fpu_is_clean(void)
{
    uint64_t first, last, control, status;
    __asm__ volatile("umov %0, v0.d[1]\n\tumov %1, v31.d[0]\n\tmrs %2, fpcr\n\tmrs %3, fpsr"
                     : "=r"(first), "=r"(last), "=r"(control), "=r"(status));
    return first == 0 && last == 0 && control == 0 && status == 0;
}

#endif
