// SPDX-License-Identifier: MIT OR Apache-2.0
// A model of the semantics of threads and waits, as simple as possible: it has no queues, only order numbers and searches of all
// threads and objects. It shares no code with the kernel, which the tests compare with it.
#ifndef DETENT_MODEL_H
#define DETENT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_THREADS 12
#define MODEL_OBJECTS 12
#define MODEL_NOBODY (-1)
#define MODEL_LOWEST 256
#define MODEL_FOREVER UINT64_MAX

enum model_kind { MODEL_AUTO, MODEL_MANUAL, MODEL_SEMAPHORE, MODEL_MUTEX, MODEL_SECTION };

struct model_object {
    enum model_kind kind;
    int count, maximum; // event: signalled; semaphore: count
    int owner, recursion;
    int donated; // the priority that the owner inherits through this lock
};

struct model_thread {
    bool alive, ended, blocked, sleeping;
    int suspended;
    int base, priority;
    int64_t order;                            // order among the ready threads of its priority
    int waits_for[MODEL_OBJECTS], wait_count; // MODEL_NOBODY: it has left this wait
    int64_t wait_order[MODEL_OBJECTS];        // for each wait, the order among the waiters of its priority
    bool multiple;                            // waits with WaitForMultipleObjects
    uint64_t wake_ms;
    uint32_t quantum_ms, left_ms;
    uint32_t result;
};

struct model {
    struct model_thread threads[MODEL_THREADS];
    struct model_object objects[MODEL_OBJECTS];
    int object_count;
    bool chain;
    uint64_t now_ms;
    int64_t last_order, first_order;
    bool reschedule; // the last tick used up the running thread's quantum
};

extern struct model model;

int model_running(void); // MODEL_NOBODY: the idle thread
bool model_ready(int thread);
void model_thread_add(int thread, int priority, uint32_t quantum_ms);
void model_yield(int thread);
void model_sleep(int thread, uint64_t time_ms);
void model_wait(int thread, const int *objects, int count, uint64_t timeout_ms); // timeout 0 polls
void model_set(int object, int count); // sets an event, or releases a semaphore
void model_pulse(int object);
void model_release(int thread, int object); // releases a mutex or section once
void model_suspend(int thread);
void model_resume(int thread);
void model_priority(int thread, int priority);
void model_exit(int thread);
void model_terminate(int thread); // called by another thread, while this one owns nothing
void model_tick(uint32_t elapsed_ms);

#endif
