// SPDX-License-Identifier: MIT OR Apache-2.0
// See sweep_isr.h.
#include "programs/sweep_isr.h"

#include "x86/machine.h"

volatile uint32_t sweep_isr_at, sweep_isr_gate;
volatile uint64_t sweep_isr_interrupted;

#define TEXT_OF(tokens) #tokens
#define TEXT(macro) TEXT_OF(macro)

__asm__(".text\n"
        ".globl sweep_isr\n"
        "sweep_isr:\n\t"
        "rdtsc\n\t"
        "movl %eax, sweep_isr_at\n\t"
        "movl kernel_gate, %eax\n\t"
        "movl %eax, sweep_isr_gate\n\t"
        "movq " TEXT(ISR_INTERRUPTED_OFFSET) "(%rsp), %rax\n\t"
                                             "movq %rax, sweep_isr_interrupted\n\t"
                                             "movl $31, %eax\n\t"
                                             "ret\n");
_Static_assert(SYSINTR_SWEEP == 31, "sweep_isr's answer");
