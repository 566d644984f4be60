// SPDX-License-Identifier: MIT OR Apache-2.0
// set.h — a task set in the format in which the host gives it to a probe. SET.md describes every byte.
//
// All numbers are little-endian. The set contains the instant of every release, so that each system gets the same ones. Times are
// nanoseconds from the start of the schedule; the probe converts them to counts of its clock.
#ifndef BACKWALL_WIRE_SET_H
#define BACKWALL_WIRE_SET_H

#include <stdint.h>

#define SET_MAGIC 0x315445534b534154ull // "TASKSET1" as little-endian bytes
#define SET_TASKS_MAX 200u
#define SET_LOCKS_MAX 256u
#define SET_SECTIONS_MAX 4096u
#define SET_RELEASES_MAX 4000000u
#define SET_NAME_BYTES 208u // including the final NUL
#define SET_CPU_ANY UINT32_MAX
#define SET_NS_MAX (1ull << 60) // longest time in a set

enum set_overrun { SET_SKIP = 0, SET_QUEUE = 1, SET_ABORT = 2 };
enum set_organisation { SET_THREAD_PER_SERIES = 0, SET_POOL = 1, SET_THREAD_PER_EVENT = 2 };
enum set_work { SET_WORK_TURNS = 0, SET_WORK_CPU_TIME = 1 };
enum set_policy { SET_FIFO = 0, SET_ROUND_ROBIN = 1, SET_DEADLINE = 2, SET_ORDINARY = 3 };
enum set_protocol { SET_PLAIN = 0, SET_INHERITANCE = 1, SET_CEILING = 2 };
#define SET_IDLE_OFF 1u    // keep the CPUs out of idle states
#define SET_BEST_EFFORT 2u // continue with a warning if the machine refuses a setting

// Tasks, locks, sections and releases follow the head without gaps.
struct set_head {
    uint64_t magic;              // SET_MAGIC
    uint32_t tasks;              // in [1, SET_TASKS_MAX]
    uint32_t locks;              // at most SET_LOCKS_MAX
    uint32_t sections;           // sections of all tasks, at most SET_SECTIONS_MAX
    uint32_t releases;           // releases of all tasks, in [1, SET_RELEASES_MAX]
    uint64_t end_ns;             // the probe gives up a job that still runs at this time
    uint32_t overrun;            // enum set_overrun
    uint32_t organisation;       // enum set_organisation
    uint32_t work;               // enum set_work
    uint32_t flags;              // SET_IDLE_OFF, SET_BEST_EFFORT
    uint32_t generator_priority; // priority of the threads that release jobs; 0: the ordinary scheduler
    uint32_t reserved;           // 0
};

struct set_task {
    char name[SET_NAME_BYTES]; // padded with NULs
    uint64_t computation_ns;   // computation of each job, sections included
    uint64_t deadline_ns;      // relative to the nominal instant
    uint64_t runtime_ns;       // SET_DEADLINE: CPU time that the kernel guarantees in each period
    uint64_t period_ns;        // SET_DEADLINE: the period of that guarantee
    uint32_t policy;           // enum set_policy
    uint32_t priority;         // 1 to 99, larger is more urgent; 0 with SET_DEADLINE and SET_ORDINARY
    uint32_t cpu;              // CPU, or SET_CPU_ANY
    uint32_t sections;         // number of its sections, which follow those of the previous task
    uint32_t releases;         // number of its releases, which follow those of the previous task
    uint32_t reserved;         // 0
};

struct set_lock {
    uint32_t protocol; // enum set_protocol
    uint32_t ceiling;  // SET_CEILING: the highest priority of the tasks that use the lock
};

// A job holds the lock for length_ns. Its sections come at its beginning, in order.
struct set_section {
    uint32_t lock;
    uint32_t reserved;  // 0
    uint64_t length_ns; // above 0
};

// The releases of a task are in order: neither the nominal instants nor the arrivals decrease.
struct set_release {
    uint64_t nominal_ns; // the deadline is relative to this time
    uint64_t arrival_ns; // when the job may begin: at or after the nominal instant, before the end
};

_Static_assert(sizeof(struct set_head) == 56, "set_head");
_Static_assert(sizeof(struct set_task) == 264, "set_task");
_Static_assert(sizeof(struct set_lock) == 8, "set_lock");
_Static_assert(sizeof(struct set_section) == 16, "set_section");
_Static_assert(sizeof(struct set_release) == 16, "set_release");

#endif
