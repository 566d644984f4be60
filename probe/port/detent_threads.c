// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: the probe's threads. A place holds what a new thread will run; it is free again once the thread has begun.
#include "detent_threads.h"
#include "port.h"

#include <stdatomic.h>

#define REALTIME_LOWEST 99u // priority 1 of the probe's scale
#define STARTS_MAX 128      // threads that have been started and have not run yet

static struct detent_start {
    _Atomic bool taken;
    void (*run)(void *argument);
    void *argument;
} detent_starts[STARTS_MAX];

static DWORD detent_thread(LPVOID given)
{
    struct detent_start *start = given;
    void (*run)(void *argument) = start->run;
    void *argument = start->argument;

    start->taken = false;
    run(argument);
    return 0;
}

static struct detent_start *detent_start_take(void)
{
    for (unsigned i = 0; i < STARTS_MAX; i++) {
        if (!atomic_exchange(&detent_starts[i].taken, true))
            return &detent_starts[i];
    }
    return NULL;
}

int detent_priority(unsigned priority)
{
    return priority < REALTIME_LOWEST ? (int)(REALTIME_LOWEST - priority) : 0;
}

HANDLE detent_thread_suspended(void (*run)(void *argument), void *argument, const char **refusal)
{
    struct detent_start *start = detent_start_take();
    HANDLE thread = NULL;

    if (start) {
        start->run = run;
        start->argument = argument;
        thread = CreateThread(NULL, 0, detent_thread, start, CREATE_SUSPENDED, NULL);
    }
    *refusal = thread ? NULL : "Detent has no more threads";
    if (!thread && start)
        start->taken = false;
    return thread;
}

HANDLE detent_thread_make(void (*run)(void *argument), void *argument, const char **refusal)
{
    HANDLE thread = detent_thread_suspended(run, argument, refusal);

    if (!thread)
        return NULL;
    CeSetThreadPriority(thread, CeGetThreadPriority(GetCurrentThread()));
    ResumeThread(thread);
    return thread;
}

const char *port_thread_start(void (*run)(void *argument), void *argument)
{
    const char *refusal;
    HANDLE thread = detent_thread_make(run, argument, &refusal);

    if (thread)
        CloseHandle(thread);
    return refusal;
}
