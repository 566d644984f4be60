// SPDX-License-Identifier: MIT OR Apache-2.0
// A cause of a late response: the loop of the thread that is to be late, and what keeps it from its work.
#pragma once

#include "clock.h"
#include "ledger.h"
#include <pthread.h>

enum { VICTIM_PRIORITY = 80, ABOVE_VICTIM = 90, BELOW_VICTIM = 50 };

// What the victim and the culprit tell each other.
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

// The tables, each ended by an entry without a name.
extern const struct kind kinds_of_threads[];
extern const struct kind kinds_of_kernel[];
extern const struct kind kinds_of_groups[];
extern const struct kind kinds_of_wakers[];
extern const struct kind kinds_of_itself[];

// The calling thread gets a name, a processor (-1 is any) and a SCHED_FIFO priority (0 is the ordinary scheduler, nice 0).
void become(const char *name, int cpu, int priority);

// The allowed processors of a thread: one, or -1 for all.
void allow(int thread, int cpu);

// The culprit is away from the victim's processor.
void stand_aside(const struct scene *scene);

// The next release of our own victim that is more than a quarter of a period away; of another process some instant.
int64_t next_release_ns(const struct scene *scene);

// Waits until the victim sleeps, early in a period: who is stopped or frozen on the way to its work has answered its release already.
void await_its_sleep(const struct scene *scene);

// A write to a file of a folder; exits with 4 where that fails.
void say(const char *folder, const char *file, const char *text);

// Ends with the process that began it.
void end_with_parent(void);

// Loops of the victim.
void loop_timed(struct scene *scene);

// One row of the victim's ledger.
void saw(struct scene *scene, int64_t release_ns, int64_t woke_ns);
