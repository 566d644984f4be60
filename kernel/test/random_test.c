// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads make random operations on the real core and on the model. After each one, the running thread, all states and
// priorities, and the result of every finished call must agree. Interrupts also come just before the gate is opened, where a
// kernel call cannot be preempted.
#include <stdio.h>

#include "core/mutex.h"
#include "core/objects.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/thread.h"
#include "core/threads.h"
#include "core/timeout.h"
#include "core/timeouts.h"
#include "oem.h"
#include "test/random.h"
#include "test/runs.h"

#define OPERATIONS 3000
#define IDLE_STEPS_MAX 30000

enum { COUNT_DUE, COUNT_DONE, COUNT_SWITCHES, COUNT_INSIDE, COUNT_HELPED, COUNT_CHAIN, COUNT_RULES, COUNTS };
static const char *const count_names[COUNTS] = {[COUNT_DUE] = "operations due",
                                                [COUNT_DONE] = "done",
                                                [COUNT_SWITCHES] = "ended by another thread's turn",
                                                [COUNT_INSIDE] = "interrupts inside calls",
                                                [COUNT_HELPED] = "times helped on when all waited",
                                                [COUNT_CHAIN] = "runs with whole chains",
                                                [COUNT_RULES] = "ticks by CE's timer rules"};

HANDLE handles[OBJECTS];
CRITICAL_SECTION sections[2];
HANDLE thread_handles[MODEL_THREADS];
const char *last_operation = "start";
bool may_interrupt, device_in_service, device_held;
static unsigned long seed, operations_left, calls_checked;

static void fail(const char *what, long got, long expected)
{
    printf("FAIL seed %lu, %lu operations left, after %s: %s is %ld, the model says %ld\n", seed, operations_left,
           last_operation, what, got, expected);
    runs_end(false);
}

void expect(const char *what, long got, long expected)
{
    if (got != expected)
        fail(what, got, expected);
}

static int self(void)
{
    for (int t = 0; t < MODEL_THREADS; t++)
        if (kernel.current != &idle_thread && thread_handles[t] == (HANDLE)kernel.current->object.handle)
            return t;
    return MODEL_NOBODY;
}

static void compare(void)
{
    expect("the running thread", self(), model_running());
    expect("next == current", kernel.next == kernel.current, 1);
    for (int t = 0; t < MODEL_THREADS; t++) {
        const struct model_thread *expected = &model.threads[t];
        if (!expected->alive)
            continue;
        const struct thread *thread = thread_find(thread_handles[t]);
        uint32_t state = (expected->blocked ? STATE_BLOCKED : 0u) | (expected->sleeping ? STATE_SLEEPING : 0u)
                         | (expected->suspended ? STATE_SUSPENDED : 0u);
        expect("a thread's state", (long)(thread->state & STATE_NOT_READY), (long)state);
        expect("a thread's priority", (long)thread->link.priority, expected->priority);
        expect("a thread's remainder", (long)thread->quantum_left_ms, (long)expected->left_ms);
    }
    for (int o = 0; o < WAITABLE; o++)
        if (HANDLE_KIND(handles[o]) == KIND_MUTEX) {
            const struct thread *owner = ((struct mutex *)object_find(handles[o]))->lock.owner;
            int expected = model.objects[o].owner;
            expect("a mutex's owner is the model's",
                   owner == (expected < 0 ? NULL : thread_find(thread_handles[expected])), 1);
        }
}

// ---- interrupts: the model gets each one first ----

void device_interrupt(void)
{
    if (device_in_service)
        device_held = true;
    else
        device_in_service = true, model_set(DEVICE_EVENT, 1);
    port_interrupt(DEVICE);
}

static void tick_after(uint32_t elapsed_ms)
{
    DWORD answer = timeout_tick(elapsed_ms);
    if (profile.timer != TIMER_DETENT) {
        DWORD rule = oem_timer_tick(answer);
        expect("CE's timer rule answers as the kernel's", rule == answer || ticksleft != 0, 1);
        answer = rule;
        runs_count(COUNT_RULES, 1);
    }
    model_tick(elapsed_ms);
    port_interrupt(answer);
    expect("GetTickCount", (long)GetTickCount(), (long)(uint32_t)model.now_ms);
}

void tick(void)
{
    tick_after(random_below(50) == 0 ? 1 + random_below(TIMEOUT_SLOTS) : 1);
}

static void interrupt_inside(void)
{
    if (!may_interrupt || kernel_gate != GATE_OPEN + 1 || random_below(8) != 0)
        return;
    may_interrupt = false; // only one for each call
    runs_count(COUNT_INSIDE, 1);
    random_below(2) ? device_interrupt() : tick();
}

static DWORD thread_main(LPVOID argument);
static DWORD helper_main(LPVOID unused);

void thread_launch(int t)
{
    int priority = 100 + (int)random_below(6);
    last_operation = "CreateThread";
    may_interrupt = false;
    if (thread_handles[t] != NULL)
        CloseHandle(thread_handles[t]);
    thread_handles[t] =
        CreateThread(NULL, 0, t == HELPER ? helper_main : thread_main, (LPVOID)(intptr_t)t, CREATE_SUSPENDED, NULL);
    expect("the new thread's handle is good", thread_handles[t] != NULL, 1);
    CeSetThreadPriority(thread_handles[t], priority);
    CeSetThreadQuantum(thread_handles[t], 2);
    model_thread_add(t, priority, 2);
    ResumeThread(thread_handles[t]);
}

bool owns_something(int t)
{
    for (int o = 0; o < OBJECTS; o++)
        if (model.objects[o].owner == t)
            return true;
    return false;
}

static void finish(void)
{
    runs_count(COUNT_DONE, OPERATIONS - operations_left);
    runs_end(true);
}

static DWORD thread_main(LPVOID argument)
{
    int t = (int)(intptr_t)argument;
    compare();
    for (;;) {
        if (operations_left == 0)
            finish();
        operations_left--;
        if (random_below(60) == 0 && !owns_something(t)) {
            last_operation = "ending";
            may_interrupt = false;
            model_exit(t);
            return (DWORD)t;
        }
        unsigned long before = calls_checked;
        may_interrupt = true;
        operate(t);
        may_interrupt = false;
        runs_count(COUNT_SWITCHES, calls_checked != before);
        calls_checked++;
        compare();
    }
}

static void object_add(int o, enum model_kind kind, int count, HANDLE handle)
{
    model.objects[o] = (struct model_object){
        .kind = kind, .count = count, .maximum = 5, .owner = MODEL_NOBODY, .donated = MODEL_LOWEST};
    handles[o] = handle;
}

static void objects_create(void)
{
    model.object_count = OBJECTS;
    object_add(AUTO_A, MODEL_AUTO, 0, CreateEvent(NULL, FALSE, FALSE, NULL));
    object_add(AUTO_B, MODEL_AUTO, 1, CreateEvent(NULL, FALSE, TRUE, _T("b")));
    object_add(MANUAL, MODEL_MANUAL, 0, CreateEvent(NULL, TRUE, FALSE, NULL));
    object_add(SEMAPHORE, MODEL_SEMAPHORE, 2, CreateSemaphore(NULL, 2, 5, NULL));
    for (int o = MUTEX_A; o <= MUTEX_C; o++)
        object_add(o, MODEL_MUTEX, 0, CreateMutex(NULL, FALSE, NULL));
    for (int i = 0; i < 2; i++) {
        InitializeCriticalSection(&sections[i]);
        object_add(SECTION_A + i, MODEL_SECTION, 0, NULL);
    }
    object_add(DEVICE_EVENT, MODEL_AUTO, 0, CreateEvent(NULL, FALSE, FALSE, NULL));
    InterruptInitialize(DEVICE, handles[DEVICE_EVENT], NULL, 0);
}

static DWORD helper_main(LPVOID unused)
{
    (void)unused;
    compare();
    last_operation = "helping";
    may_interrupt = false; // and again after each call, during which others may have run
    model_set(MANUAL, 1), SetEvent(handles[MANUAL]);
    may_interrupt = false;
    compare();
    if (model.objects[SEMAPHORE].count < model.objects[SEMAPHORE].maximum)
        model_set(SEMAPHORE, 1), ReleaseSemaphore(handles[SEMAPHORE], 1, NULL);
    may_interrupt = false;
    compare();
    model_exit(HELPER);
    return 0;
}

// The idle thread creates work for the others. It does not release several threads at once.
static void idle_help(void)
{
    for (int t = 0; t < MODEL_THREADS; t++) {
        if (!model.threads[t].alive) {
            thread_launch(t);
        } else if (model.threads[t].suspended) {
            model_resume(t);
            ResumeThread(thread_handles[t]);
        }
    }
    for (int o = 0; o < MANUAL; o++) {
        model_set(o, 1);
        SetEvent(handles[o]);
    }
    operate_done(MODEL_NOBODY); // otherwise an interrupt would stay in service for ever
    device_interrupt();
}

static bool nobody_will_wake(void)
{
    for (int t = 0; t < MODEL_THREADS; t++)
        if (model.threads[t].alive && model.threads[t].sleeping && !model.threads[t].suspended)
            return false;
    return true;
}

static void idle_step(void)
{
    compare();
    if (nobody_will_wake() || random_below(20) == 0) {
        runs_count(COUNT_HELPED, 1);
        idle_help();
    } else {
        last_operation = "an interrupt while idle";
        random_below(4) == 0 ? device_interrupt() : tick_after(1 + random_below(random_below(4) == 0 ? 2000 : 3));
    }
}

// With an even seed, whole chains inherit priorities. The seed also selects among CE's two timer interfaces and the kernel's own.
static void run(unsigned long run_seed)
{
    uint64_t start_ms = 0xFFFFFFFFu - 3000; // GetTickCount wraps during the run
    seed = run_seed;
    operations_left = OPERATIONS;
    profile.split_calls = false; // so that timeouts of lower threads are answered at once, as in the model
    model.chain = profile.inheritance_chain = seed % 2 == 0;
    profile.timer = seed % 3;
    model.now_ms = start_ms;
    runs_count(COUNT_DUE, OPERATIONS);
    runs_count(COUNT_CHAIN, model.chain);
    port_start(start_ms);
    port_before_open = interrupt_inside;
    objects_create();
    for (int t = 0; t < MODEL_THREADS / 2; t++)
        if (!model.threads[t].alive) // threads launched earlier run first, and launch others
            thread_launch(t);
    for (unsigned i = 0; i < IDLE_STEPS_MAX; i++)
        idle_step();
    finish(); // all threads wait for each other, for ever
}

static bool enough(const unsigned long *counts)
{
    bool good = counts[COUNT_DONE] * 10 >= counts[COUNT_DUE] * 9;
    if (!good)
        printf("FAIL model: less than 90 %% of the operations were done\n");
    return good;
}

// usage: random_test FIRST COUNT: runs COUNT seeds; the exit code says whether the kernel and the model agreed in all of them.
int main(int count, char **arguments)
{
    static const struct runs runs = {
        .test = "model", .names = count_names, .names_count = COUNTS, .run = run, .enough = enough};
    return runs_main(&runs, count, arguments);
}
