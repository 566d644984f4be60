// SPDX-License-Identifier: MIT OR Apache-2.0
// See stimulus.h. The stimulus is the CPU's physical timer, which counts single instructions here and has no other user. Arm
// Architecture Reference Manual for A-profile, D11.2.
#include "programs/stimulus.h"

#include "board.h"
#include "arm64/machine.h"

#define COUNTER_HZ 1000000000 // one count per instruction
#define AFTER_STAMP 8         // instructions from the stamp to the first instant of the first unit

bool stimulus_init(void)
{
    if (counter_hz != COUNTER_HZ)
        return false;
    SYSTEM_WRITE(cntp_cval_el0, INT64_MAX);
    SYSTEM_WRITE(cntp_ctl_el0, 1);
    gic_stimulus_enable();
    return true;
}

// This machine has only one timer.
bool stimulus_line_5_init(void)
{
    return false;
}

uint32_t stimulus_arm_timer(unsigned timer, uint32_t units)
{
    (void)timer;
    uintptr_t earlier = interrupts_save(); // a tick between reading and writing would miss the instant
    uint64_t due = cycles_now() + AFTER_STAMP + (units - 1) * UNIT_INSTRUCTIONS;
    SYSTEM_WRITE(cntp_cval_el0, due);
    interrupts_restore(earlier);
    return (uint32_t)due;
}

__asm__(".text\n"
        ".globl stimulus_padding\n"
        ".type stimulus_padding, %function\n"
        "stimulus_padding:\n\t"
        "adr x1, 1f\n\t"
        "sub x1, x1, w0, uxtw #2\n\t"
        "br x1\n\t"
        "nop; nop; nop; nop; nop; nop; nop; nop; nop\n"
        "1:\tret\n");
_Static_assert(UNIT_INSTRUCTIONS == 10, "stimulus_padding's most, and one");
