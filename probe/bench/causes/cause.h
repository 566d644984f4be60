// SPDX-License-Identifier: MIT OR Apache-2.0
// A cause of late responses: the loop of the victim, which is the thread that shall be late, and how the culprit delays
// it.
#pragma once

#include "clock.h"
#include "ledger.h"
#include <pthread.h>

enum { VICTIM_PRIORITY = 80, ABOVE_VICTIM = 90, BELOW_VICTIM = 50 };

// Memory that the victim and the culprit share.
struct shared {
    volatile int ready;
    int64_t began_ns;     // the victim's releases are a period apart from here on
    volatile int asked;   // asks the victim to touch the next page, or to overrun its budget
    volatile int faults;  // the file that reports the victim's page faults
    volatile int handled; // signals that the victim has handled
    pthread_mutex_t lock; // the victim takes this lock in each period
};

struct scene {
    const struct kind *kind;
    const char *word; // the requested kind, possibly with a length after an @
    int cpu;          // the victim's CPU
    int other;        // another CPU
    const char *group;
    int victim;
    int given; // 0 if this program started the victim
    int64_t period_ns;
    int64_t held_ns;
    struct shared *shared;
    struct ledger *seen;     // the victim's releases, and when it had the CPU
    struct ledger *injected; // when the culprit delayed the victim, and how much CPU time it used
};

struct kind {
    const char *name;
    int64_t period_ns;               // the victim's period; 0: a millisecond
    int64_t between_ns;              // time between two injections; 0: 60 ms
    void (*loop)(struct scene *);    // the victim's loop; NULL: loop_timed
    void (*prepare)(struct scene *); // called before the first injection; may be NULL
    void (*hold)(struct scene *);    // makes one injection
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
