// SPDX-License-Identifier: MIT OR Apache-2.0
// A cause of a late response: the loop of the thread that is to be late, and what keeps it from its work.
#pragma once

#include "clock.h"
#include "ledger.h"
#include <pthread.h>

enum { VICTIM_PRIORITY = 80, ABOVE_VICTIM = 90, BELOW_VICTIM = 50 };

// Memory that the victim and the culprit share.
struct shared {
    volatile int ready;
    int64_t began_ns;     // the victim's releases are a period apart from here on
    volatile int asked;   // the victim is to touch the next page, or to overrun its budget
    volatile int faults;  // the victim's file that tells of its page faults
    volatile int handled; // signals that the victim has dealt with
    pthread_mutex_t lock; // the victim takes it in each period
};

struct scene {
    const struct kind *kind;
    const char *word; // the kind as it was asked for, which may have a length behind an @
    int cpu;          // the victim's
    int other;        // another one
    const char *group;
    int victim;
    int given; // 0 where the victim is ours
    int64_t period_ns;
    int64_t held_ns;
    struct shared *shared;
    struct ledger *seen;     // the victim's releases, and when it had the processor
    struct ledger *injected; // when the culprit kept it from that, and how much processor time it used
};

struct kind {
    const char *name;
    int64_t period_ns;               // of the victim; 0 is a millisecond
    int64_t between_ns;              // between two injections; 0 is 60 ms
    void (*loop)(struct scene *);    // the victim's; NULL is loop_timed
    void (*prepare)(struct scene *); // before the first injection; may be NULL
    void (*hold)(struct scene *);    // one injection
};

// The tables. Each ends with an entry without a name.
extern const struct kind kinds_of_threads[];
extern const struct kind kinds_of_kernel[];
extern const struct kind kinds_of_groups[];
extern const struct kind kinds_of_wakers[];
extern const struct kind kinds_of_itself[];

// Gives the calling thread a name, a CPU (-1: any) and a SCHED_FIFO priority (0: the ordinary scheduler, nice 0).
void become(const char *name, int cpu, int priority);

// Sets the CPU that a thread may run on; -1: all.
void allow(int thread, int cpu);

// Moves the culprit off the victim's CPU.
void stand_aside(const struct scene *scene);

// The victim's next release that is more than a quarter of a period away. If the victim is another process, its releases are
// unknown, and this is any later time.
int64_t next_release_ns(const struct scene *scene);

// Waits until the victim sleeps, early in a period. If it were stopped or frozen before it sleeps, it would already have answered
// its release.
void await_its_sleep(const struct scene *scene);

// Writes to a file in a folder. Exits with 4 on failure.
void say(const char *folder, const char *file, const char *text);

// Makes the calling process end with its parent.
void end_with_parent(void);

// Loops of the victim.
void loop_timed(struct scene *scene);

// Adds one row to the victim's ledger.
void saw(struct scene *scene, int64_t release_ns, int64_t woke_ns);
