// SPDX-License-Identifier: MIT OR Apache-2.0
// load.h — the description of a load, and everything that a load may use.
#ifndef BACKWALL_PROBE_LOAD_H
#define BACKWALL_PROBE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_THREADS_MAX 512u // threads of one load on one CPU, all copies together

struct plan;
struct port_screen;
struct load_run;

enum load_trait {
    LOAD_IDLE = 1,  // runs only when nothing else needs the CPU
    LOAD_DRAWS = 2, // can draw on the screen
    LOAD_MANY = 4,  // can have copies: its threads have no data except their stacks
};

struct load {
    const char *name;
    const char *unit; // name of the unit that is counted
    const char *summary;
    unsigned threads; // threads of one copy, in [1, LOAD_THREADS_MAX]
    unsigned traits;  // flags of enum load_trait
    const char *(*prepare)(
        struct load_run *run); // before the threads start; may be NULL. Returns NULL or why it failed
    void (*run)(struct load_run *run, unsigned which); // called in each thread; runs until load_stopped
};

// Functions that a load may call, from any of its threads.
struct load_calls {
    bool (*stopped)(struct load_run *run);
    void (*count)(struct load_run *run, uint64_t units);  // reports that this many more units are done
    void (*fail)(struct load_run *run, const char *line); // says why the load cannot continue; the thread then returns
    void (*warn)(struct load_run *run, const char *line); // says why the load continues in a reduced form
    const char *(*screen)(struct port_screen *screen);    // gives the screen to draw on. Returns NULL or why it failed
};

// A load that runs.
struct load_run {
    const struct plan *plan;
    const struct load_calls *calls;
};

static inline bool load_stopped(struct load_run *run)
{
    return run->calls->stopped(run);
}

static inline void load_count(struct load_run *run, uint64_t units)
{
    run->calls->count(run, units);
}

static inline void load_fail(struct load_run *run, const char *line)
{
    run->calls->fail(run, line);
}

static inline void load_warn(struct load_run *run, const char *line)
{
    run->calls->warn(run, line);
}

#endif
