/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the emulator's functions by name, and wraps them. */
#define _GNU_SOURCE
#include "emulator.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The shutdown cause "requested by the host"; it has this number in QEMU 7.2 to 10. */
enum { SHUTDOWN_CAUSE_QUIT = 2 };

/* The state of a paused machine; it has this number in QEMU 7.2 to 10. */
enum { STATE_PAUSED = 4 };

enum { PAUSE_LOOK_US = 100 };

/* Higher than the priority of the machine's own devices. */
enum { OVERLAY_PRIORITY = 100 };

/* The number of the operation "add" in the plugin interface. */
enum { OPERATION_ADD = 0 };

struct emulator emulator;

/* The emulator functions that every machine uses, with the global lock held. */
static const struct emulator_name NAMES[] = {
    {&emulator.clock_get_ns, {"qemu_clock_get_ns", NULL}},
    {&emulator.timer_init, {"timer_init_full", NULL}},
    {&emulator.timer_set_ns, {"timer_mod_ns", NULL}},
    {&emulator.machine_ready_notify, {"qemu_add_machine_init_done_notifier", NULL}},
    {&emulator.run_notify, {"qemu_add_vm_change_state_handler", NULL}},
    {&emulator.irq_set, {"qemu_set_irq", NULL}},
    {&emulator.pci_irq_set, {"pci_set_irq", NULL}},
    {&emulator.device_find, {"object_resolve_path_type", NULL}},
    {&emulator.region_init, {"memory_region_init_io", NULL}},
    {&emulator.region_overlay, {"memory_region_add_subregion_overlap", NULL}},
    {&emulator.shutdown_request, {"qemu_system_shutdown_request", NULL}},
    {&emulator.stop_prepare, {"qemu_system_vmstop_request_prepare", NULL}},
    {&emulator.stop_request, {"qemu_system_vmstop_request", NULL}},
    {&emulator.is_running, {"runstate_is_running", NULL}},
    {&emulator.processor_exit, {"cpu_exit", NULL}},
    {&emulator.work_queue, {"async_run_on_cpu", NULL}},
    {&emulator.lock_take, {"qemu_mutex_lock_iothread_impl", "bql_lock_impl"}},
    {&emulator.lock_release, {"qemu_mutex_unlock_iothread", "bql_unlock"}},
    {&emulator.processor, {"qemu_get_cpu", NULL}},
    {&emulator.bytes_new, {"g_byte_array_new", NULL}},
    {&emulator.bytes_resize, {"g_byte_array_set_size", NULL}},
    {&emulator.executed, {"icount_get_raw", NULL}},
};

/* The instrument looks these up when the first count is created. */
static const struct emulator_name COUNTS[] = {
    {&emulator.block_adds, {"qemu_plugin_register_vcpu_tb_exec_inline", NULL}},
    {&emulator.block_adds_score, {"qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu", NULL}},
    {&emulator.instruction_adds, {"qemu_plugin_register_vcpu_insn_exec_inline", NULL}},
    {&emulator.instruction_adds_score, {"qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu", NULL}},
    {&emulator.score_new, {"qemu_plugin_scoreboard_new", NULL}},
    {&emulator.score_sum, {"qemu_plugin_u64_sum", NULL}},
};

/* The instrument looks these up when a trail is requested. */
static const struct emulator_name WITHIN[] = {
    {&emulator.count_update, {"icount_update", NULL}},
    {&emulator.blocks_forget, {"tb_flush", "tb_flush__exclusive_or_serial"}},
};

/* The instrument looks these up when a debugger is to connect. */
static const struct emulator_name DEBUGGER[] = {{&emulator.debugger_serve, {"gdbserver_start", NULL}}};

enum { PATH_CHARS = 4096 };

/* The emulator's thread-local variable with the CPU that this thread executes. */
static const char CURRENT_PROCESSOR[] = "current_cpu";

static bool name_find(const struct emulator_name *name)
{
    for (size_t i = 0; i < 2 && name->known_as[i]; i++) {
        void *found = dlsym(RTLD_DEFAULT, name->known_as[i]);
        if (found) {
            memcpy(name->slot, &found, sizeof found);
            return true;
        }
    }
    return false;
}

/* Prints the missing names and returns their number; `before` names were already printed on this line. */
static unsigned names_find(const struct emulator_name *names, size_t count, unsigned before)
{
    unsigned missing = before;
    for (size_t i = 0; i < count; i++) {
        if (!name_find(&names[i]))
            fprintf(stderr, "%s %s", missing++ ? "," : "instrument: this QEMU does not export", names[i].known_as[0]);
    }
    return missing;
}

bool emulator_within_find(void)
{
    unsigned missing = names_find(WITHIN, sizeof WITHIN / sizeof WITHIN[0], 0);
    if (!missing && !dlsym(RTLD_DEFAULT, CURRENT_PROCESSOR))
        fprintf(stderr, "%s %s", missing++ ? "," : "instrument: this QEMU does not export", CURRENT_PROCESSOR);
    if (missing)
        fprintf(stderr, "; without it no trail can be recorded\n");
    return !missing;
}

bool emulator_debugger_find(void)
{
    unsigned missing = names_find(DEBUGGER, sizeof DEBUGGER / sizeof DEBUGGER[0], 0);
    if (missing)
        fprintf(stderr, "; without it no debugger can connect\n");
    return !missing;
}

bool emulator_debugger_serve(const char *path)
{
    char device[PATH_CHARS];
    int written = snprintf(device, sizeof device, "unix:%s,server=on,wait=off", path);
    return written > 0 && (size_t)written < sizeof device && emulator.debugger_serve(device) == 0;
}

bool emulator_find(const struct emulator_name *more, size_t count)
{
    unsigned missing = names_find(NAMES, sizeof NAMES / sizeof NAMES[0], 0);
    missing = names_find(more, count, missing);
    if (missing)
        fprintf(stderr, "; use a QEMU built with modules, such as Debian's\n");
    return !missing;
}

uint64_t emulator_now_instructions(void)
{
    return (uint64_t)emulator.clock_get_ns(CLOCK_VIRTUAL);
}

uint64_t emulator_executed(void)
{
    return (uint64_t)emulator.executed();
}

/*
 * QEMU refuses to read the clock within a block, because it has already counted the whole block. The instrument wants
 * exactly that value. So this function updates the count, and reads the clock as a thread that executes no CPU.
 */
uint64_t emulator_now_within(void)
{
    static void **current; /* valid for all calls: there is one CPU, and only its thread calls this */
    if (!current)
        current = dlsym(RTLD_DEFAULT, CURRENT_PROCESSOR);
    void *processor = *current;
    emulator.count_update(processor);
    *current = NULL;
    uint64_t now_instructions = emulator_now_instructions();
    *current = processor;
    return now_instructions;
}

void emulator_translate_anew(void)
{
    emulator.blocks_forget(emulator.processor(0));
}

bool emulator_count_new(struct emulator_count *count)
{
    *count = (struct emulator_count){0};
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++)
        name_find(&COUNTS[i]);
    if (emulator.block_adds)
        return true;
    if (!emulator.block_adds_score || !emulator.score_new || !emulator.score_sum) {
        fprintf(stderr, "instrument: this QEMU does not export %s\n", COUNTS[1].known_as[0]);
        return false;
    }
    count->score = emulator.score_new(sizeof count->value);
    return true;
}

void emulator_count_block(struct emulator_count *count, struct qemu_plugin_tb *block, uint64_t by)
{
    if (emulator.block_adds)
        emulator.block_adds(block, OPERATION_ADD, &count->value, by);
    else
        emulator.block_adds_score(block, OPERATION_ADD, (struct emulator_score){count->score, 0}, by);
}

void emulator_count_instruction(struct emulator_count *count, struct qemu_plugin_insn *instruction)
{
    if (emulator.instruction_adds)
        emulator.instruction_adds(instruction, OPERATION_ADD, &count->value, 1);
    else
        emulator.instruction_adds_score(instruction, OPERATION_ADD, (struct emulator_score){count->score, 0}, 1);
}

uint64_t emulator_count_value(const struct emulator_count *count)
{
    return emulator.block_adds ? count->value : emulator.score_sum((struct emulator_score){count->score, 0});
}

void emulator_timer_prepare(struct emulator_timer *timer, void (*callback)(void *), void *opaque)
{
    memset(timer, 0, sizeof *timer);
    emulator.timer_init(timer, NULL, CLOCK_VIRTUAL, 1, 0, callback, opaque);
}

void emulator_timer_arm(struct emulator_timer *timer, uint64_t at_instructions)
{
    emulator.timer_set_ns(timer, (int64_t)at_instructions);
}

void emulator_overlay(struct emulator_region *region, uint64_t first, unsigned count,
                      const struct emulator_region_ops *ops, void *opaque, const char *name)
{
    emulator.region_init(region, NULL, ops, opaque, name, count);
    emulator.region_overlay(emulator.space(), first, region, OVERLAY_PRIORITY);
}

void emulator_stop(void)
{
    emulator.shutdown_request(SHUTDOWN_CAUSE_QUIT);
}

void emulator_pause(void)
{
    emulator.stop_prepare();
    emulator.stop_request(STATE_PAUSED);
    emulator.processor_exit(emulator.processor(0));
    while (emulator.is_running()) {
        emulator.lock_release();
        usleep(PAUSE_LOOK_US);
        emulator.lock_take(__FILE__, __LINE__);
    }
}

void emulator_work_before(void (*work)(void *processor, uint64_t data))
{
    emulator.work_queue(emulator.processor(0), work, 0);
}

static void work_none(void *processor, uint64_t data)
{
    (void)processor;
    (void)data;
}

void emulator_work_give(unsigned processor)
{
    emulator.work_queue(emulator.processor((int)processor), work_none, 0);
}

uint64_t emulator_register(int number)
{
    static struct emulator_bytes *bytes;
    uint64_t value = 0;
    if (!bytes)
        bytes = emulator.bytes_new();
    emulator.bytes_resize(bytes, 0);
    emulator.register_read(emulator.processor(0), bytes, number);
    memcpy(&value, bytes->data, bytes->length < sizeof value ? bytes->length : sizeof value);
    return value;
}
