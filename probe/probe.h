// SPDX-License-Identifier: MIT OR Apache-2.0
// probe.h — what the files of the probe owe each other, grouped by the file that defines it.
#ifndef BACKWALL_PROBE_H
#define BACKWALL_PROBE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the process ends; the host tool maps them to its own exit codes.
enum probe_exit {
    PROBE_EXIT_DONE = 0,
    PROBE_EXIT_FAILED = 1,  // it began and could not finish: the stream ends as failed, or not at all
    PROBE_EXIT_USAGE = 2,   // the arguments are wrong
    PROBE_EXIT_MACHINE = 4, // the machine refuses what was asked
};

#define PROBE_CPU_ANY (-1)

struct measure;
struct load;

// plan.c: what was typed becomes what is needed, in one place.

struct plan {
    const struct measure *measure; // NULL when a load is to run
    const struct load *load;       // NULL when a measure is to run
    uint64_t period_ns;            // in [PLAN_PERIOD_MIN_NS, PLAN_PERIOD_MAX_NS]
    uint64_t warmup;               // releases before the steady state
    uint64_t count;                // releases after it; 0 for a load
    uint64_t for_ns;               // how long a load runs; 0 until it is stopped
    int cpu;                       // or PROBE_CPU_ANY
    unsigned priority;             // SCHED_FIFO 1 to 99; 0 is the ordinary scheduler
    bool overrun_queue;            // answer missed releases one by one instead of skipping them
    bool idle_off;                 // keep the processors out of idle states
    bool best_effort;              // go on with a warning when the machine refuses
    bool framebuffer;              // polygons go to the screen
};

// Fills plan from the arguments. False: one line of why has been printed.
bool plan_read(struct plan *plan, int argc, char **argv);

// ring.c: one thread in, one thread out, no lock; what finds no room is counted.

#define RING_ENTRIES 32768u // a power of two
#define RING_POINTS 6u

enum ring_kind { RING_SAMPLE = 0, RING_LOST = 1 };

struct ring_entry {
    uint32_t kind;            // enum ring_kind
    uint32_t reason;          // RING_LOST: enum wire_loss
    uint64_t seq;             // RING_LOST: the first of them
    uint64_t at[RING_POINTS]; // RING_SAMPLE: the points; RING_LOST: at[0] is how many
};

// A ring carries one series, in the order of seq without a gap.
struct ring {
    alignas(64) _Atomic uint64_t head; // entries ever pushed; written by the producer
    uint64_t tail_seen;                // producer's: the last tail it read
    uint64_t missed_seq;               // producer's: first stimulus that found no room
    uint64_t missed_count;             // producer's: how many, 0 when none are pending
    alignas(64) _Atomic uint64_t tail; // entries ever taken; written by the consumer
    alignas(64) struct ring_entry entries[RING_ENTRIES];
};

// Producer. Stores a copy; without room the stimuli of the entry count as lost with reason ring_full.
void ring_push(struct ring *ring, const struct ring_entry *entry);
// Consumer. Takes the oldest entry; false when there is none.
bool ring_take(struct ring *ring, struct ring_entry *entry);
// Consumer, once the producer has ended and the ring is empty: the losses still pending; false when none.
bool ring_take_missed(struct ring *ring, struct ring_entry *entry);

// emit.c: the only writer of the stream. One thread calls it. A write that fails ends the process.

void emit_hello(void);
void emit_text(const char *key, const char *value);
void emit_value(const char *name, uint64_t value);
void emit_note(uint32_t severity, const char *text);
struct wire_series;
void emit_series(const struct wire_series *series);
// Samples are gathered into blocks; any other record, or emit_flush, closes the block.
void emit_sample(uint32_t series, uint32_t points, uint32_t flags, uint64_t seq, const uint64_t *at);
void emit_lost(uint32_t series, uint32_t reason, uint64_t first_seq, uint64_t count);
void emit_totals(uint32_t series, uint64_t due, uint64_t done, uint64_t lost);
void emit_load(uint32_t load, const char *name, const char *unit);
void emit_progress(uint32_t load, uint64_t at, uint64_t done);
void emit_end(uint32_t reason);
void emit_flush(void);
// Copies a name into a field of WIRE_NAME_BYTES, padded with NUL.
void emit_name(char *field, const char *name);

// tables.c: everything that can be measured and every load, one line each.

struct measured; // below
struct measure {
    const char *name;
    const char *summary;
    bool hidden;                     // for tests of the probe itself
    uint32_t points;                 // in [2, RING_POINTS]
    const char *point[RING_POINTS];  // the first is the stimulus
    const char *(*prepare)(void);    // before the threads; NULL, or returns NULL or why it cannot
    void (*run)(struct measured *measured); // in the measured thread, after it has settled
};

enum load_trait {
    LOAD_IDLE = 1,  // runs only when nothing else wants the processor
    LOAD_DRAWS = 2, // can draw on the screen
};

struct load_run; // below
struct load {
    const char *name;
    const char *unit; // what is counted
    const char *summary;
    unsigned threads; // in [1, LOAD_THREADS_MAX]
    unsigned traits;  // of enum load_trait
    const char *(*prepare)(const struct plan *plan); // before the threads; NULL, or returns NULL or why it cannot
    void (*run)(struct load_run *run, unsigned which); // in each thread, until load_stopped
};

extern const struct measure MEASURES[];
extern const size_t MEASURES_COUNT;
extern const struct load LOADS[];
extern const size_t LOADS_COUNT;
const struct measure *tables_measure(const char *name); // NULL when there is none
const struct load *tables_load(const char *name);       // NULL when there is none
void tables_print(void);

// overhead.c: what one clock read costs here, measured before anything else.

#define OVERHEAD_READS 100000u
#define OVERHEAD_BINS 4096u // larger differences count in the last

struct overhead {
    uint64_t min_cycles;
    uint64_t median_cycles;
    uint64_t p999_cycles;
    uint64_t max_cycles;
    uint64_t resolution_cycles; // greatest common divisor of all differences that are not 0
};
void overhead_measure(struct overhead *overhead);

// session.c: a measure from its first record to its last.

// All that a measure sees, in the measured thread.
struct measured {
    const struct plan *plan;
    struct ring *ring;
    uint64_t period;   // counts
    uint64_t first_at; // count of the release with seq 0
    uint64_t due;      // result: releases that came due
};
int session_run(const struct plan *plan);
uint64_t session_counts(uint64_t ns); // counts of the clock

// loadrun.c: a load from its first record to its last.

#define LOAD_THREADS_MAX 8u

struct load_run {
    const struct plan *plan;
    _Atomic uint64_t done;         // units done so far
    _Atomic(const char *) failure; // one line, once a thread has given up
    _Atomic(const char *) warning; // one line, until it is on the wire
};
int loadrun_run(const struct plan *plan);
bool loadrun_stopped(void);
void loadrun_count(struct load_run *run, uint64_t units);
void loadrun_fail(struct load_run *run, const char *line);
void loadrun_warn(struct load_run *run, const char *line);

// load/handoff.c

// Thread `which` and thread `which ^ 1` set each other's event in turn; a wait that times out is made again.
void handoff_alternate(struct load_run *run, unsigned which, uint64_t timeout_ns);

// load/polygons.c

#define POLYGON_CORNERS_MAX 8u

struct polygon {
    unsigned corners;               // in [3, POLYGON_CORNERS_MAX]
    int32_t x[POLYGON_CORNERS_MAX]; // in [0, width]
    int32_t y[POLYGON_CORNERS_MAX]; // in [0, height]; both at most 32767
};
struct port_screen;
void polygons_fill(const struct port_screen *screen, const struct polygon *polygon, uint32_t colour);

#endif
