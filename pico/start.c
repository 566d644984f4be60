// SPDX-License-Identifier: MIT OR Apache-2.0
// The start code: prepares memory as C expects it. The firmware uses no interrupts. A fault stops the firmware here,
// and the host gets no answer.
#include "firmware.h"

#include <stdint.h>

extern uint32_t data_start[], data_end[], data_image[], bss_start[], bss_end[], stack_top[];

static void start_fault(void)
{
    for (;;) {
    }
}

static void start_reset(void)
{
    const uint32_t *from = data_image;

    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    firmware_run();
}

// Stack, reset, non-maskable interrupt, hard fault (ARMv6-M manual, B1.5.2); the others never come.
__attribute__((used, section(".vectors"))) static const uintptr_t start_vectors[4] = {
    (uintptr_t)stack_top,
    (uintptr_t)start_reset,
    (uintptr_t)start_fault,
    (uintptr_t)start_fault,
};
