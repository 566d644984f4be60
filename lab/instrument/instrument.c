/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instrument: a function generator and a scope in QEMU's virtual time. This file starts it and ends the run. */
#include <stdio.h>

#include "../machine/machine.h"
#include "channel.h"
#include "counter.h"
#include "emulator.h"
#include "generator.h"
#include "halt.h"
#include "hold.h"
#include "instruction.h"
#include "modes.h"
#include "options.h"
#include "pause.h"
#include "plugin.h"
#include "recording.h"
#include "scope.h"
#include "stretches.h"
#include "trail.h"

/* Set by the Makefile: QEMU before 9 loads version 1, QEMU 9 and later version 2. */
PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_VERSION;

static struct options options;
static struct emulator_timer tail, limit;

static void run_end(enum end_reason reason, uint32_t code)
{
    struct totals totals = {{generator_pulses(0), generator_pulses(1)}, channel_bytes()};
    recording_close(emulator_now_instructions(), reason, code, &totals);
    trail_close();
    stretches_close();
}

static void run_stop(enum end_reason reason, uint32_t code)
{
    run_end(reason, code);
    emulator_stop();
}

static void tail_over(void *opaque)
{
    (void)opaque;
    run_stop(END_COMPLETE, 0);
}

static void limit_reached(void *opaque)
{
    (void)opaque;
    run_stop(END_LIMIT, 0);
}

static void guest_ended(uint8_t code)
{
    run_stop(END_GUEST, code);
}

static void channel_full(void)
{
    run_stop(END_CHANNEL, 0);
}

/* The last answers may come after the generators have finished. */
static void generators_finished(void)
{
    emulator_timer_arm(&tail, emulator_now_instructions() + options.tail_instructions);
}

static void machine_hold(unsigned index, uint64_t now_instructions)
{
    hold_machine(options.hold_path, index, now_instructions);
}

static const struct generator_calls GENERATOR_CALLS = {.finished = generators_finished};
static const struct generator_calls GENERATOR_CALLS_HELD = {.finished = generators_finished, .hold = machine_hold};
static const struct channel_calls CHANNEL_CALLS = {.ended = guest_ended, .full = channel_full};

static void emulator_ended(qemu_plugin_id_t id, void *opaque)
{
    (void)id;
    (void)opaque;
    run_end(END_EMULATOR, 0);
    channel_close();
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    halt_block(block);
    if (options.count)
        counter_block(block);
    if (options.modes)
        modes_block(block);
    if (options.stretches_path)
        stretches_block(block);
    trail_block(block);
}

/* A restored state is complete when the machine begins to run. */
static void machine_runs(void *opaque, bool running, int state)
{
    static bool resumed;
    (void)opaque;
    (void)state;
    if (running && !resumed)
        machine->resumed();
    resumed |= running;
}

static void machine_ready(struct emulator_notifier *notifier, void *data)
{
    (void)notifier;
    (void)data;
    emulator_timer_prepare(&tail, tail_over, NULL);
    emulator_timer_prepare(&limit, limit_reached, NULL);
    if (options.limit_instructions)
        emulator_timer_arm(&limit, options.limit_instructions);
    scope_connect(&options);
    channel_connect(&CHANNEL_CALLS, options.channel_limit_bytes);
    if (options.count)
        counter_connect();
    if (options.modes)
        modes_connect();
    if (options.resume && machine->resumed)
        emulator.run_notify(machine_runs, NULL);
    if (options.trail_path)
        trail_start(&options);
    if (options.pause_path)
        pause_start(&options);
    generators_start(&options, options.hold_path ? &GENERATOR_CALLS_HELD : &GENERATOR_CALLS);
}

/* If this machine lacks something that was requested, prints one line on standard error and returns false. */
static bool can_be_told(void)
{
    const struct {
        const char *option;
        bool lacks;
    } asked[] = {
        {"addresses", options.addresses && !machine->program_counter},
        {"count", options.count && !machine->heavy},
        {"modes", options.modes && !machine->in_user_mode},
        {"trail", options.trail_path && !machine->interrupts_on},
        {"stretches", options.stretches_path && !machine->interrupts_on},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        if (asked[i].lacks) {
            fprintf(stderr, "instrument: %s is not available on a %s\n", asked[i].option, machine->target);
            return false;
        }
    }
    return true;
}

/* Opens the other files that were requested and looks up the emulator functions that they need. */
static bool records_open(void)
{
    return (!options.modes || modes_start()) && (!options.trail_path || trail_open(&options))
           && (!options.stretches_path || stretches_open(&options)) && (!options.pause_path || pause_find());
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
    static struct emulator_notifier ready = {.notify = machine_ready};
    if (!options_parse(&options, argc, argv) || !machine_find(info->target_name)
        || !emulator_find(machine->names, machine->name_count) || !can_be_told())
        return 1;
    if (!recording_open(options.edges_path, options.resume) || !channel_open(options.channel_path, options.resume))
        return 1;
    if (!records_open())
        return 1;
    instruction_interface(info);
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    qemu_plugin_register_atexit_cb(id, emulator_ended, NULL);
    emulator.machine_ready_notify(&ready);
    return 0;
}
