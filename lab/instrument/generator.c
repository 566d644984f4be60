/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function generators. All functions here run with the emulator's global lock held. */
#include "generator.h"

#include <stdlib.h>

#include "../../wire/connector.h"
#include "../machine/machine.h"
#include "../machine/pci.h"
#include "emulator.h"
#include "modes.h"
#include "recording.h"
#include "stretches.h"

struct generator {
    unsigned index;
    struct generator_options options;
    bool started;
    bool pending;             /* a pulse is scheduled, or still high */
    uint64_t sequence;        /* pulses given so far */
    uint64_t at_instructions; /* instant of the scheduled pulse */
    void *irq;
    void (*irq_set)(void *irq, int level);
    struct emulator_timer rise, fall;
};

static struct generator generators[GENERATORS];
static bool with_addresses;
static bool acknowledged; /* the guest lowers the interrupt; the end of the pulse does not */
static struct emulator_region acknowledge_region;
static const struct generator_calls *generator_calls;

static void generator_finish_check(void)
{
    for (unsigned i = 0; i < GENERATORS; i++) {
        const struct generator *generator = &generators[i];
        if (generator->options.used && generator->sequence < generator->options.train.pulses)
            return;
    }
    generator_calls->finished();
}

static void address_record(const struct generator *generator)
{
    bool interrupts_on;
    uint64_t address = machine->program_counter(&interrupts_on);
    recording_add(address, (uint16_t)(LINE_ADDRESS_A + generator->index), interrupts_on, FLAG_ANNOTATION,
                  (uint32_t)generator->sequence);
}

static void pulse_record(const struct generator *generator, uint64_t now_instructions)
{
    uint8_t flags = generator->sequence < generator->options.warmup ? FLAG_WARMUP : 0;
    if (now_instructions != generator->at_instructions)
        flags |= FLAG_LATE;
    recording_add(now_instructions, (uint16_t)(LINE_GENERATOR_A + generator->index), 1, flags,
                  (uint32_t)generator->sequence);
    if (with_addresses)
        address_record(generator);
    modes_mark();
}

/* The schedule is absolute: the next pulse is timed from the instant at which this one was due, not from now. */
static void generator_rise(void *opaque)
{
    struct generator *generator = opaque;
    struct train *train = &generator->options.train;
    bool marked = train->shape == TRAIN_MARK;
    uint64_t gap = marked ? train->period_instructions : train_gap(train, generator->sequence);
    uint64_t width = marked ? 1 : train_width(train, gap, generator->options.duty_ppm);
    pulse_record(generator, emulator_now_instructions());
    generator->irq_set(generator->irq, 1);
    emulator_timer_arm(&generator->fall, generator->at_instructions + width);
    generator->sequence++;
    generator->at_instructions += gap;
    if (!marked && generator->sequence < train->pulses)
        emulator_timer_arm(&generator->rise, generator->at_instructions);
}

static void generator_fall(void *opaque)
{
    struct generator *generator = opaque;
    if (!acknowledged)
        generator->irq_set(generator->irq, 0);
    recording_add(emulator_now_instructions(), (uint16_t)(LINE_GENERATOR_A + generator->index), 0, 0,
                  (uint32_t)(generator->sequence - 1));
    generator->pending = generator->options.train.shape != TRAIN_MARK;
    generator_finish_check();
}

static void generator_schedule(struct generator *generator, uint64_t at_instructions)
{
    generator->at_instructions = at_instructions;
    generator->pending = true;
    emulator_timer_arm(&generator->rise, at_instructions);
}

static void generator_start(struct generator *generator, uint64_t first_instructions)
{
    generator->started = true;
    modes_begin();
    stretches_begin();
    if (generator->options.train.shape != TRAIN_MARK)
        generator_schedule(generator, first_instructions);
}

static void generator_prepare(struct generator *generator, unsigned index, const struct generator_options *options)
{
    generator->index = index;
    generator->options = *options;
    generator->irq_set = acknowledged ? emulator.pci_irq_set : emulator.irq_set;
    generator->irq = acknowledged ? pci_device(index) : machine->line(index);
    if (!generator->irq)
        _Exit(EXIT_FAILURE);
    emulator_timer_prepare(&generator->rise, generator_rise, generator);
    emulator_timer_prepare(&generator->fall, generator_fall, generator);
    if (options->start_instructions)
        generator_start(generator, options->start_instructions);
    else if (options->armed_instructions)
        generator_start(generator, options->armed_instructions + options->delay_instructions);
}

static void acknowledge_write(void *opaque, uint64_t offset, uint64_t value, unsigned bytes)
{
    struct generator *generator = opaque;
    (void)offset;
    (void)value;
    (void)bytes;
    if (generator->irq)
        generator->irq_set(generator->irq, 0);
}

static uint64_t acknowledge_read(void *opaque, uint64_t offset, unsigned bytes)
{
    (void)opaque;
    (void)offset;
    (void)bytes;
    return 0;
}

static const struct emulator_region_ops ACKNOWLEDGE_OPS = {
    .read = acknowledge_read,
    .write = acknowledge_write,
    .valid = {.min_bytes = 1, .max_bytes = 1},
    .implemented = {.min_bytes = 1, .max_bytes = 1},
};

void generators_start(const struct options *options, const struct generator_calls *calls)
{
    generator_calls = calls;
    with_addresses = options->addresses;
    acknowledged = options->pci;
    if (acknowledged)
        machine_connect(&acknowledge_region, CONNECTOR_ACKNOWLEDGE_PORT, 1, &ACKNOWLEDGE_OPS, &generators[0],
                        "backwall-acknowledge");
    for (unsigned i = 0; i < GENERATORS; i++) {
        if (options->generators[i].used)
            generator_prepare(&generators[i], i, &options->generators[i]);
    }
}

void generator_port_armed(unsigned index)
{
    struct generator *generator = &generators[index];
    uint64_t now_instructions = emulator_now_instructions();
    if (!generator->options.used || generator->started)
        return;
    if (generator_calls->hold)
        generator_calls->hold(index, now_instructions);
    else
        generator_start(generator, now_instructions + generator->options.delay_instructions);
}

void generator_port_marked(unsigned index, unsigned bit)
{
    struct generator *generator = &generators[index];
    struct train *train = &generator->options.train;
    bool wanted = generator->options.used && generator->started && train->shape == TRAIN_MARK
                  && generator->options.mark_bit == bit;
    if (wanted && !generator->pending && generator->sequence < train->pulses)
        generator_schedule(generator, emulator_now_instructions() + train_gap(train, generator->sequence));
}

uint64_t generator_pulses(unsigned index)
{
    return generators[index].sequence;
}
