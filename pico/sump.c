// SPDX-License-Identifier: MIT OR Apache-2.0
// See sump.h. There is one stage of parallel trigger. The CPU searches for the trigger, so the trigger's position may
// be some samples off. Without a trigger, the capture starts at once.
#include "sump.h"

#include "capture.h"
#include "chip.h"
#include "clocks.h"
#include "edges.h"
#include "lines.h"
#include "sampler.h"
#include "serial.h"

#include <string.h>

#define COMMAND_RESET 0x00u
#define COMMAND_ARM 0x01u
#define COMMAND_ID 0x02u
#define COMMAND_METADATA 0x04u
#define COMMAND_DIVIDER 0x80u
#define COMMAND_COUNTS 0x81u
#define COMMAND_FLAGS 0x82u
#define COMMAND_TRIGGER_MASK 0xc0u
#define COMMAND_TRIGGER_VALUE 0xc1u
#define FLAG_NO_GROUP_0 (1u << 2)
#define FLAG_RUN_LENGTHS (1u << 8)
#define DIVIDER_MASK 0xffffffu
#define COUNT_UNIT 4u // in samples
#define KEY_NAME 0x01u
#define KEY_MEMORY 0x21u
#define KEY_RATE 0x23u
#define KEY_PROBES 0x40u
#define KEY_VERSION 0x41u

// Sampling restarts after this many samples without a trigger, long before their number exceeds 32 bits (42 s at the highest
// rate).
#define WAIT_SAMPLES (1u << 31)

enum sump_phase { SUMP_IDLE, SUMP_WAITING, SUMP_FILLING };

static struct {
    enum sump_phase phase;
    uint32_t step_ticks;
    uint32_t read_samples;  // number of samples to send
    uint32_t delay_samples; // number of samples after the trigger
    uint32_t mask;
    uint32_t value;
    uint32_t flags;
    uint32_t end; // number of the first sample that is not sent
} sump;

void sump_reset(void)
{
    sampler_stop();
    sump.phase = SUMP_IDLE;
    sump.step_ticks = 1;
    sump.read_samples = COUNT_UNIT;
    sump.delay_samples = COUNT_UNIT;
    sump.mask = 0;
    sump.flags = 0;
}

static void sump_say_number(uint8_t key, uint32_t value)
{
    const uint8_t bytes[] = {
        key, (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value,
    };

    serial_write(bytes, sizeof bytes);
}

static void sump_say_metadata(void)
{
    static const char name[] = "\001backwall pico";
    static const uint8_t rest[] = {KEY_PROBES, LINES_SAMPLED, KEY_VERSION, 2, 0};

    _Static_assert(KEY_NAME == 1, "the name begins with its key");
    serial_write(name, sizeof name);
    sump_say_number(KEY_MEMORY, SAMPLER_SAMPLES);
    sump_say_number(KEY_RATE, CLOCKS_TICKS_PER_S);
    serial_write(rest, sizeof rest);
}

static void sump_say(void (*say)(void))
{
    serial_begin();
    say();
    serial_end();
}

static void sump_say_id(void)
{
    serial_write("1ALS", 4);
}

static void sump_arm(void)
{
    capture_stop();
    sampler_start(sump.step_ticks);
    sump.phase = SUMP_WAITING;
}

void sump_short(uint8_t command)
{
    if (command == COMMAND_RESET)
        sump_reset();
    else if (command == COMMAND_ARM)
        sump_arm();
    else if (command == COMMAND_ID)
        sump_say(sump_say_id);
    else if (command == COMMAND_METADATA)
        sump_say(sump_say_metadata);
}

static uint32_t sump_samples(uint32_t count)
{
    uint32_t samples = ((count & 0xffffu) + 1u) * COUNT_UNIT;

    return samples < SAMPLER_SAMPLES ? samples : SAMPLER_SAMPLES;
}

void sump_long(uint8_t command, uint32_t value)
{
    if (command == COMMAND_DIVIDER) {
        sump.step_ticks = (value & DIVIDER_MASK) + 1u;
    } else if (command == COMMAND_COUNTS) {
        sump.read_samples = sump_samples(value);
        sump.delay_samples = sump_samples(value >> 16);
        if (sump.delay_samples > sump.read_samples)
            sump.delay_samples = sump.read_samples;
    } else if (command == COMMAND_FLAGS) {
        sump.flags = value;
    } else if (command == COMMAND_TRIGGER_MASK) {
        sump.mask = value & ((1u << LINES_SAMPLED) - 1u);
    } else if (command == COMMAND_TRIGGER_VALUE) {
        sump.value = value;
    }
}

static bool sump_triggered(void)
{
    uint32_t levels = REGISTER(SIO_GPIO_IN) >> LINES_PULSES_PIN;

    return ((levels ^ sump.value) & sump.mask) == 0;
}

static void sump_give_samples(void)
{
    uint8_t mask = sump.flags & FLAG_RUN_LENGTHS ? 0x7f : 0xff; // a set highest bit would mean a run length

    if (sump.flags & FLAG_NO_GROUP_0)
        return;
    for (uint32_t i = 1; i <= sump.read_samples; i++) {
        uint8_t sample = sampler_sample(sump.end - i) & mask;

        serial_write(&sample, 1);
    }
}

void sump_step(void)
{
    uint32_t before = sump.read_samples - sump.delay_samples;

    if (sump.phase == SUMP_WAITING && sampler_seen() >= WAIT_SAMPLES)
        sampler_start(sump.step_ticks);
    if (sump.phase == SUMP_WAITING && sampler_seen() >= before && sump_triggered()) {
        sump.end = sampler_seen() + sump.delay_samples;
        if (sump.end < sump.read_samples)
            sump.end = sump.read_samples;
        sump.phase = SUMP_FILLING;
    }
    if (sump.phase == SUMP_FILLING && sampler_seen() >= sump.end) {
        sampler_stop();
        sump.phase = SUMP_IDLE;
        sump_say(sump_give_samples);
    }
}
