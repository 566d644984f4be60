/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the running emulator that the instrument uses, looked up by name when the instrument is loaded.
 *
 * Distributions build QEMU with modules, and therefore export its functions. None of them is a documented interface, so the
 * instrument tries every name that a function has had.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* QEMU's virtual clock: one nanosecond is one instruction under `-icount shift=0`. */
enum { CLOCK_VIRTUAL = 1 };

/* Zeroed storage for emulator objects of unknown layout; both objects are much smaller than this in QEMU 7.2 to 10. */
enum { TIMER_BYTES = 256, REGION_BYTES = 2048 };

struct emulator_timer {
    _Alignas(16) unsigned char storage[TIMER_BYTES];
};

struct emulator_region {
    _Alignas(16) unsigned char storage[REGION_BYTES];
};

/* The head of QEMU's MemoryRegionOps; the order of the fields is the emulator's. */
struct emulator_region_ops {
    uint64_t (*read)(void *opaque, uint64_t offset, unsigned bytes);
    void (*write)(void *opaque, uint64_t offset, uint64_t value, unsigned bytes);
    void *read_with_attributes;
    void *write_with_attributes;
    int endianness;
    struct {
        unsigned min_bytes;
        unsigned max_bytes;
        bool unaligned;
        void *accepts;
    } valid, implemented;
    unsigned char later_fields[64];
};

/* GLib's GByteArray. */
struct emulator_bytes {
    uint8_t *data;
    unsigned length;
};

/* QEMU's qemu_plugin_u64: one counter for each CPU. */
struct emulator_score {
    void *of;
    size_t offset;
};

/* QEMU's Notifier. */
struct emulator_notifier {
    void (*notify)(struct emulator_notifier *notifier, void *data);
    void *node[2];
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct emulator {
    int64_t (*clock_get_ns)(int clock);
    void (*timer_init)(void *timer, void *group, int clock, int scale_ns, int attributes, void (*callback)(void *),
                       void *opaque);
    void (*timer_set_ns)(void *timer, int64_t expiry_ns);
    void (*machine_ready_notify)(struct emulator_notifier *notifier);
    void *(*run_notify)(void (*notify)(void *opaque, bool running, int state), void *opaque);
    void (*irq_set)(void *irq, int level);
    void (*pci_irq_set)(void *device, int level);
    void *(*device_find)(const char *path, const char *type, bool *ambiguous);
    void *(*space)(void); /* returns the connector's address space; each machine has its own function */
    void (*region_init)(void *region, void *owner, const struct emulator_region_ops *ops, void *opaque,
                        const char *name, uint64_t bytes);
    void (*region_overlay)(void *space, uint64_t offset, void *region, int priority);
    void (*shutdown_request)(int cause);
    void (*stop_prepare)(void);
    void (*stop_request)(int state);
    bool (*is_running)(void);
    void (*processor_exit)(void *processor);
    void (*work_queue)(void *processor, void (*work)(void *processor, uint64_t data), uint64_t data);
    void (*lock_take)(const char *file, int line);
    void (*lock_release)(void);
    void *(*processor)(int index);
    int (*register_read)(void *processor, struct emulator_bytes *into, int number);
    struct emulator_bytes *(*bytes_new)(void);
    struct emulator_bytes *(*bytes_resize)(struct emulator_bytes *bytes, unsigned length);
    int64_t (*executed)(void);
    /*
     * Some versions of the emulator have the functions that take a score, some have those without a score, some have
     * neither.
     */
    void (*block_adds)(struct qemu_plugin_tb *block, int operation, void *to, uint64_t by);
    void (*block_adds_score)(struct qemu_plugin_tb *block, int operation, struct emulator_score to, uint64_t by);
    void (*instruction_adds)(struct qemu_plugin_insn *instruction, int operation, void *to, uint64_t by);
    void (*instruction_adds_score)(struct qemu_plugin_insn *instruction, int operation, struct emulator_score to,
                                   uint64_t by);
    void *(*score_new)(size_t bytes);
    uint64_t (*score_sum)(struct emulator_score score);
    /* Looked up by emulator_within_find(). */
    void (*count_update)(void *processor);
    void (*blocks_forget)(void *processor);
    /* Looked up by emulator_debugger_find(). */
    int (*debugger_serve)(const char *device);
};

extern struct emulator emulator;

/* A function's names, and where its address is stored. A function that a release of QEMU renamed has a second name. */
struct emulator_name {
    void *slot;
    const char *known_as[2];
};

/* A counter that blocks of instructions increment when they are executed, in one of QEMU's two ways. */
struct emulator_count {
    uint64_t value; /* for QEMU before version 9 */
    void *score;    /* for QEMU 9 and later */
};

/* Creates a counter at zero. If this emulator has no counters, prints one line on standard error and returns false. */
bool emulator_count_new(struct emulator_count *count);

/* Adds `by` to the counter at each execution of the block. Allowed only while the block is being translated. */
void emulator_count_block(struct emulator_count *count, struct qemu_plugin_tb *block, uint64_t by);

/* Adds 1 at each execution of the instruction. Allowed only while its block is being translated. */
void emulator_count_instruction(struct emulator_count *count, struct qemu_plugin_insn *instruction);

uint64_t emulator_count_value(const struct emulator_count *count);

/*
 * Fills `emulator`, and the slots of the machine's own `more` functions. If functions are missing, prints one line on standard
 * error that names them all and returns false.
 */
bool emulator_find(const struct emulator_name *more, size_t count);

/* The current instant: executed instructions since the machine started, plus the time that its CPU waited. */
uint64_t emulator_now_instructions(void);

/* The current instant without the time that the CPU waited: executed instructions only. */
uint64_t emulator_executed(void);

/*
 * Looks up what emulator_now_within() and emulator_translate_anew() need. If this emulator lacks it, prints one line on standard
 * error and returns false.
 */
bool emulator_within_find(void);

/* The instant at which the block that is just beginning will end if nothing in it faults: QEMU counts a block at its beginning. */
uint64_t emulator_now_within(void);

/* Makes the emulator translate every block again before its next execution. */
void emulator_translate_anew(void);

/* Looks up what emulator_debugger_serve() needs. If this emulator lacks it, prints one line on standard error and returns false. */
bool emulator_debugger_find(void);

/* Lets a debugger connect to the emulator through the socket of that path. False on failure. */
bool emulator_debugger_serve(const char *path);

/* Prepares `timer` to call `callback`, without arming it. The machine must be complete. */
void emulator_timer_prepare(struct emulator_timer *timer, void (*callback)(void *), void *opaque);

/* Lets `timer` expire at the given instant. */
void emulator_timer_arm(struct emulator_timer *timer, uint64_t at_instructions);

/* Maps a device of the instrument over `count` bytes of the machine's address space from `first` on. */
void emulator_overlay(struct emulator_region *region, uint64_t first, unsigned count,
                      const struct emulator_region_ops *ops, void *opaque, const char *name);

/* Asks the emulator for an orderly shutdown. */
void emulator_stop(void);

/*
 * Stops the machine within the instruction that the guest is executing. Called from a device; returns when the machine
 * has stopped. QEMU's usual stop would let the virtual clock jump to the next timer.
 */
void emulator_pause(void);

/* Makes the CPU's thread call `work` before it executes the next instruction. */
void emulator_work_before(void (*work)(void *processor, uint64_t data));

/* Queues empty work for a CPU. The CPU does this work when it leaves its current block. */
void emulator_work_give(unsigned processor);

/* The value of a CPU register between two blocks, by its number in the emulator's debugger interface. */
uint64_t emulator_register(int number);

#endif
