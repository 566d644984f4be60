// SPDX-License-Identifier: MIT OR Apache-2.0
// See sweep_isr.h.
#include "programs/sweep_isr.h"

#include "arm64/machine.h"

// The variables are in one page, so that one instruction addresses all of them.
__asm__(".bss\n"
        ".balign 32\n"
        ".globl sweep_isr_at, sweep_isr_gate, sweep_isr_interrupted\n"
        "sweep_isr_interrupted:\n\t"
        ".skip 8\n"
        "sweep_isr_at:\n\t"
        ".skip 4\n"
        "sweep_isr_gate:\n\t"
        ".skip 4\n"
        ".text\n"
        ".globl sweep_isr\n"
        ".type sweep_isr, %function\n"
        "sweep_isr:\n\t"
        "mrs x0, cntvct_el0\n\t"
        "adrp x1, sweep_isr_interrupted\n\t"
        "str w0, [x1, :lo12:sweep_isr_at]\n\t"
        "str w28, [x1, :lo12:sweep_isr_gate]\n\t"
        "ldr x0, [sp, #" TEXT(FRAME_ADDRESS) "]\n\t"
                                             "str x0, [x1, :lo12:sweep_isr_interrupted]\n\t"
                                             "mov w0, #31\n\t"
                                             "ret\n");
_Static_assert(SYSINTR_SWEEP == 31, "sweep_isr's answer");
