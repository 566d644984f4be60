// SPDX-License-Identifier: MIT OR Apache-2.0
// Floating point on a PC: SSE and x87.
#ifndef DETENT_FPU_INLINE_H
#define DETENT_FPU_INLINE_H

#include <stdbool.h>
#include <stdint.h>

typedef long double fpu_other; // uses the x87's registers

static inline void fpu_use(void)
{
    __asm__ volatile("pxor %xmm0, %xmm0");
}

// Fills the x87 stack.
static inline void fpu_fill(void)
{
    __asm__ volatile("fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1; pcmpeqd %xmm15, %xmm15");
}

static inline bool fpu_is_clean(void)
{
    uint16_t control, status;
    uint64_t low;
    uint32_t mxcsr;
    __asm__ volatile("movq %%xmm15, %0\n\tfnstcw %1\n\tfnstsw %2\n\tstmxcsr %3"
                     : "=r"(low), "=m"(control), "=m"(status), "=m"(mxcsr));
    return low == 0 && control == 0x037F && status == 0 && mxcsr == 0x1F80;
}

#endif
