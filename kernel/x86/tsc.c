// SPDX-License-Identifier: MIT OR Apache-2.0
// Rates of the time stamp counter and of the local APIC's timer, both measured with the PC's old timer. Intel 8254 datasheet
// (channel 2, mode 0); Intel SDM volume 3, 11.5.4.
#include "core/panic.h"
#include "port.h"
#include "machine.h"

#define PIT_HZ 1193182u
#define PIT_CHANNEL_2 0x42
#define PIT_COMMAND 0x43
#define PIT_GATE 0x61
#define GATE_ON 0x01
#define GATE_SPEAKER 0x02
#define GATE_OUTPUT 0x20
#define CALIBRATION_COUNTS 23864u // 20 ms
#define SPINS_MAX 100000000u
#define APIC_TIMER_DIVIDE 0x3E0
#define DIVIDE_BY_1 0x0B
#define LVT_MASKED 0x10000
#define ROUND_HZ 1000000u // a rate this close to a whole megahertz is rounded to it
#define ROUND_PPM 500u

uint64_t counter_hz;
uint32_t timer_counts_scaled;

uint64_t counter_read(void)
{
    return cycles_now();
}

static uint64_t rate_rounded(uint64_t hz)
{
    uint64_t whole = (hz + ROUND_HZ / 2) / ROUND_HZ * ROUND_HZ;
    uint64_t off = hz > whole ? hz - whole : whole - hz;
    return off * 1000000 <= whole * ROUND_PPM ? whole : hz;
}

void tsc_init(void)
{
    apic_write(APIC_LVT_TIMER, LVT_MASKED | VECTOR_TICK);
    apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
    out8(PIT_GATE, (uint8_t)((in8(PIT_GATE) & ~GATE_SPEAKER) | GATE_ON));
    out8(PIT_COMMAND, 0xB0);
    out8(PIT_CHANNEL_2, CALIBRATION_COUNTS & 0xFF);
    out8(PIT_CHANNEL_2, CALIBRATION_COUNTS >> 8);
    apic_write(APIC_TIMER_INITIAL, UINT32_MAX);
    uint64_t started = cycles_now();
    for (unsigned i = 0; i < SPINS_MAX && !(in8(PIT_GATE) & GATE_OUTPUT); i++)
        ;
    uint64_t cycles = cycles_now() - started;
    uint64_t counts = UINT32_MAX - apic_read(APIC_TIMER_CURRENT);
    apic_write(APIC_TIMER_INITIAL, 0);
    counter_hz = rate_rounded(cycles * PIT_HZ / CALIBRATION_COUNTS);
    uint64_t timer_hz = rate_rounded(counts * PIT_HZ / CALIBRATION_COUNTS);
    if (counter_hz == 0 || timer_hz == 0)
        panic(__func__, "the time stamp counter or the APIC timer does not count");
    timer_counts_scaled = (uint32_t)((timer_hz << 24) / counter_hz);
}

BOOL QueryPerformanceCounter(LARGE_INTEGER *count)
{
    count->QuadPart = (int64_t)counter_read();
    return TRUE;
}

BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency_hz)
{
    frequency_hz->QuadPart = (int64_t)counter_hz;
    return TRUE;
}
