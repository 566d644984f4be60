// SPDX-License-Identifier: MIT OR Apache-2.0
// See stimulus.h. IA-PC HPET specification 1.0a, 2.3.
#include "programs/stimulus.h"

#include "board.h"
#include "x86/machine.h"

#define HPET 0xFED00000ull
#define HPET_PERIOD 0x04 // the counter's period in femtoseconds; 0 if there is no HPET
#define HPET_CONFIGURATION 0x10
#define HPET_COUNTER 0xF0
#define HPET_TIMER 0x100
#define HPET_COMPARATOR 0x108
#define HPET_MESSAGE 0x110 // the message's data, followed by its address
#define HPET_NEXT_TIMER 0x20
#define TIMER_ENABLED 0x04
#define TIMER_32_BIT 0x100
#define TIMER_ROUTE_SHIFT 9
#define TIMER_MESSAGE 0x4000
#define TIMER_MESSAGE_OFFERED 0x8000
#define MESSAGE_ADDRESS 0xFEE00000u // the local APIC
#define TIMERS_LINE_5 2
#define HPET_INPUT 2 // input of the I/O APIC, shared with the old timer, which is stopped
#define PIT_COMMAND 0x43
#define PIT_CHANNEL_0 0x40
#define UNIT_FEMTOSECONDS 10000000u
#define WRITE_AFTER_STAMP 8 // instructions from the stamp to the write, in stimulus_arm

static volatile uint32_t *hpet(unsigned offset)
{
    return (volatile uint32_t *)(HPET + offset);
}

bool stimulus_init(void)
{
    if (*hpet(HPET_PERIOD) != UNIT_FEMTOSECONDS)
        return false;
    out8(PIT_COMMAND, 0x30); // the old timer: one shot, which ends at once while its input is masked
    out8(PIT_CHANNEL_0, 1);
    out8(PIT_CHANNEL_0, 0);
    SleepTillTick();
    *hpet(HPET_CONFIGURATION) = 1;
    *hpet(HPET_TIMER) = TIMER_ENABLED | TIMER_32_BIT | HPET_INPUT << TIMER_ROUTE_SHIFT;
    apic_route(HPET_INPUT, VECTOR_LINE_7, 0);
    return true;
}

bool stimulus_line_5_init(void)
{
    for (unsigned i = STIMULUS_LINE_5; i < STIMULUS_LINE_5 + TIMERS_LINE_5; i++) {
        unsigned timer = i * HPET_NEXT_TIMER;
        if (!(*hpet(HPET_TIMER + timer) & TIMER_MESSAGE_OFFERED))
            return false;
        *hpet(HPET_MESSAGE + timer) = VECTOR_LINE_5;
        *hpet(HPET_MESSAGE + timer + 4) = MESSAGE_ADDRESS;
        *hpet(HPET_TIMER + timer) = TIMER_ENABLED | TIMER_32_BIT | TIMER_MESSAGE;
    }
    return true;
}

// Writes the comparator exactly one unit after reading the counter, so the timer fires units - 1 units after the write, whatever
// the counter's phase. Returns that time.
uint32_t stimulus_arm_timer(unsigned timer, uint32_t units)
{
    uint32_t stamped;
    uintptr_t earlier = interrupts_save(); // a tick between reading and writing would miss the instant
    __asm__ volatile("movl (%1), %%ecx\n\t"
                     "addl %3, %%ecx\n\t"
                     "rdtsc\n\t"
                     "nop; nop; nop; nop; nop; nop; nop\n\t"
                     "movl %%ecx, (%2)"
                     : "=&a"(stamped)
                     : "r"(hpet(HPET_COUNTER)), "r"(hpet(HPET_COMPARATOR + timer * HPET_NEXT_TIMER)), "r"(units)
                     : "rcx", "rdx", "memory");
    interrupts_restore(earlier);
    return stamped + WRITE_AFTER_STAMP + (units - 1) * UNIT_INSTRUCTIONS;
}

void stimulus_padding(uint32_t instructions)
{
    static const uint8_t nops_and_return[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xC3};
    ((void (*)(void))(uintptr_t)(nops_and_return + UNIT_INSTRUCTIONS - 1 - instructions))();
}
