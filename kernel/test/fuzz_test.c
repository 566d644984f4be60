// SPDX-License-Identifier: MIT OR Apache-2.0
// Many threads make random calls. Interrupts come when the gate is opened, and between two steps of a call. There is no model;
// instead, openings of the gate check the invariants of the kernel's data. Threads create and close objects in use, suspend each
// other, change priorities and end turns. Interrupt threads do the same during other threads' calls.
#include <stdio.h>

#include "core/profile.h"
#include "core/ready.h"
#include "core/thread.h"
#include "core/timeout.h"
#include "core/timeouts.h"
#include "test/fuzz.h"
#include "test/invariants.h"
#include "test/runs.h"

#define CALLS 1500 // calls in one run
#define IDLE_STEPS_MAX 5000
#define LINES 2 // number of devices; each has an interrupt thread
#define DEVICE(line) (SYSINTR_DEVICES + 1 + (line))
#define WORKERS 10
#define RUNS_FOR_ALL 50 // after this many runs, every call must have been interrupted
#define CHECK_EVERY 4   // gate openings per check on average, because a check is slow

enum { COUNT_DUE, COUNT_DONE, COUNT_OPENINGS, COUNT_CHECKS, COUNT_INSIDE, COUNT_KINDS };
static const char *count_names[COUNT_KINDS + 2 * FUZZ_CALLS_MAX] = {[COUNT_DUE] = "calls due",
                                                                    [COUNT_DONE] = "done",
                                                                    [COUNT_OPENINGS] = "openings of the gate",
                                                                    [COUNT_CHECKS] = "checked",
                                                                    [COUNT_INSIDE] = "interrupts inside"};

static unsigned long seed, calls_left;
static HANDLE device_events[LINES];

static void check(const char *broken)
{
    runs_count(COUNT_CHECKS, 1);
    if (broken == NULL)
        return;
    printf("FAIL fuzz: seed %lu, %lu calls left, in %s: not so: %s\n", seed, calls_left,
           fuzz_call_now() < fuzz_calls_count ? fuzz_calls[fuzz_call_now()].name : "nothing", broken);
    runs_end(false);
}

static void interrupt(void)
{
    unsigned line = random_below(LINES + 2);
    if (line == LINES)
        port_interrupt(FUZZ_SYSINTR_SHARED);
    else if (line < LINES)
        port_interrupt(DEVICE(line));
    else
        port_interrupt(timeout_tick(profile.tick_ms * (random_below(20) == 0 ? 1 + random_below(200) : 1)));
}

static void before_open(void)
{
    if (kernel_gate != GATE_OPEN + 1 && kernel_gate != 1)
        return;
    runs_count(COUNT_OPENINGS, 1);
    if (random_below(CHECK_EVERY) == 0)
        check(invariants_broken()), check(fuzz_lines_broken());
    if (random_below(8) != 0)
        return;
    unsigned call = fuzz_call_now();
    runs_count(COUNT_INSIDE, 1);
    if (call < fuzz_calls_count)
        runs_count(COUNT_KINDS + fuzz_calls_count + call, 1);
    interrupt();
}

// Called between two steps of a kernel call.
static void before_look(void)
{
    if (kernel_gate == GATE_OPEN + 1 && random_below(16) == 0)
        interrupt();
}

static void call_at_random(void)
{
    if (calls_left == 0)
        runs_end(true);
    calls_left--;
    unsigned call = random_below(fuzz_calls_count);
    runs_count(COUNT_DONE, 1);
    runs_count(COUNT_KINDS + call, 1);
    fuzz_make(call);
}

DWORD fuzz_worker(LPVOID unused)
{
    (void)unused;
    fuzz_begin();
    for (;;)
        call_at_random();
}

static DWORD interrupt_thread(LPVOID line)
{
    unsigned index = (unsigned)(uintptr_t)line;
    while (WaitForSingleObject(device_events[index], INFINITE) == WAIT_OBJECT_0) {
        if (random_below(2) == 0)
            call_at_random();
        InterruptDone(DEVICE(index));
    }
    printf("FAIL fuzz: seed %lu: an interrupt's event could not be waited for\n", seed);
    runs_end(false);
}

static void interrupt_threads_start(void)
{
    for (unsigned line = 0; line < LINES; line++) {
        device_events[line] = CreateEvent(NULL, FALSE, FALSE, NULL);
        InterruptInitialize(DEVICE(line), device_events[line], NULL, 0);
        HANDLE thread = CreateThread(NULL, 0, interrupt_thread, (LPVOID)(uintptr_t)line, CREATE_SUSPENDED, NULL);
        CeSetThreadPriority(thread, (int)line);
        CeSetThreadQuantum(thread, 0);
        ResumeThread(thread);
        CloseHandle(thread);
    }
}

// No thread is ready. The kernel is at rest only if no thread is suspended, because a suspended thread may be inside a call.
static void idle_step(void)
{
    bool somebody_suspended = false;
    for (unsigned i = 0; i < THREADS_MAX; i++)
        somebody_suspended |= !object_is_free(&threads[i].object) && threads[i].suspend_count > 0;
    gate_close();
    if (random_below(CHECK_EVERY) == 0)
        check(somebody_suspended ? invariants_broken() : invariants_broken_at_rest());
    kernel_gate--;
    if (random_below(4) == 0)
        fuzz_help();
    else
        interrupt();
}

static void run(unsigned long run_seed)
{
    seed = run_seed;
    calls_left = CALLS;
    profile.inheritance_chain = seed % 2 == 0;
    runs_count(COUNT_DUE, CALLS);
    port_start(0);
    fuzz_start(WORKERS);
    interrupt_threads_start();
    port_before_open = before_open;
    port_before_look = before_look;
    for (unsigned i = 0; i < IDLE_STEPS_MAX; i++)
        idle_step();
    runs_end(true); // all threads wait for each other
}

static bool enough(const unsigned long *counts)
{
    bool good = counts[COUNT_DONE] * 10 >= counts[COUNT_DUE] * 9;
    if (!good)
        printf("FAIL fuzz: less than 90 %% of the calls were done\n");
    for (unsigned i = 0; i < fuzz_calls_count && counts[COUNT_DUE] >= RUNS_FOR_ALL * CALLS; i++) {
        bool interrupted = counts[COUNT_KINDS + fuzz_calls_count + i] > 0 || fuzz_calls[i].never_opens;
        if (counts[COUNT_KINDS + i] > 0 && interrupted)
            continue;
        printf("FAIL fuzz: %s was never called, or never interrupted\n", fuzz_calls[i].name);
        good = false;
    }
    return good;
}

// usage: fuzz_test FIRST COUNT: runs COUNT seeds from FIRST on.
int main(int count, char **arguments)
{
    struct runs runs = {.test = "fuzz",
                        .names = count_names,
                        .names_count = COUNT_KINDS + fuzz_calls_count,
                        .run = run,
                        .enough = enough};
    for (unsigned i = 0; i < fuzz_calls_count; i++)
        count_names[COUNT_KINDS + i] = fuzz_calls[i].name;
    return runs_main(&runs, count, arguments);
}
