// SPDX-License-Identifier: MIT OR Apache-2.0
// load.h — what a load says of itself, and all that it sees.
#ifndef BACKWALL_PROBE_LOAD_H
#define BACKWALL_PROBE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_THREADS_MAX 512u // of one load on one processor, all its copies together

struct plan;
struct port_screen;
struct load_run;

enum load_trait {
    LOAD_IDLE = 1,  // runs only when nothing else wants the processor
    LOAD_DRAWS = 2, // can draw on the screen
    LOAD_MANY = 4,  // can have copies: its threads have nothing of their own but their stacks
};

struct load {
    const char *name;
    const char *unit; // what is counted
    const char *summary;
    unsigned threads;                                  // of a copy, in [1, LOAD_THREADS_MAX]
    unsigned traits;                                   // of enum load_trait
    const char *(*prepare)(struct load_run *run);      // before the threads; NULL, or returns NULL or why it cannot
    void (*run)(struct load_run *run, unsigned which); // in each thread, until load_stopped; copy by copy
};

// Functions that a load may call, from any of its threads.
struct load_calls {
    bool (*stopped)(struct load_run *run);
    void (*count)(struct load_run *run, uint64_t units);  // so many more units are done
    void (*fail)(struct load_run *run, const char *line); // it cannot go on, and why; its thread returns
    void (*warn)(struct load_run *run, const char *line); // it goes on with less
    const char *(*screen)(struct port_screen *screen);    // what to draw on; NULL, or why there is none
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
