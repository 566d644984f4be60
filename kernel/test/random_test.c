// SPDX-License-Identifier: MIT OR Apache-2.0
// Random operations by threads of the real core against the model: after each one, who runs, who is in
// which state at which priority, and what every finished call returned must agree. Interrupts also come
// just before the gate is opened, where a kernel call cannot be preempted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mutex.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/thread.h"
#include "core/timeout.h"
#include "test/model.h"

#define DEVICE (SYSINTR_DEVICES + 1)
#define OPERATIONS 3000
#define IDLE_STEPS_MAX 30000

enum { AUTO_A, AUTO_B, MANUAL, SEMAPHORE, MUTEX_A, MUTEX_B, MUTEX_C, SECTION_A, SECTION_B, DEVICE_EVENT, OBJECTS };
#define WAITABLE SECTION_A // those before it have handles

static HANDLE handles[OBJECTS];
static CRITICAL_SECTION sections[2];
static HANDLE thread_handles[MODEL_THREADS];
static unsigned long seed, operations_left;
static uint64_t random_state;
static const char *last_operation = "start";
static bool may_interrupt, device_in_service, device_held;
static unsigned long calls_checked, switches_seen, interrupts_inside;

static unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 20) % limit;
}

static void fail(const char *what, long got, long expected)
{
    printf("FAIL seed %lu, %lu operations left, after %s: %s is %ld, the model says %ld\n", seed, operations_left,
           last_operation, what, got, expected);
    exit(1);
}

static void expect(const char *what, long got, long expected)
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
        uint32_t state = (expected->blocked ? STATE_BLOCKED : 0u) | (expected->sleeping ? STATE_SLEEPING : 0u) |
                         (expected->suspended ? STATE_SUSPENDED : 0u);
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

// ---- interrupts, told to the model first ----

static void device_interrupt(void)
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
    model_tick(elapsed_ms);
    port_interrupt(answer);
    expect("GetTickCount", (long)GetTickCount(), (long)(uint32_t)model.now_ms);
}

static void tick(void) { tick_after(random_below(50) == 0 ? 1 + random_below(6000) : 1); }

static void interrupt_inside(void)
{
    if (!may_interrupt || kernel_gate != GATE_OPEN + 1 || random_below(8) != 0)
        return;
    may_interrupt = false; // one for each call
    interrupts_inside++;
    random_below(2) ? device_interrupt() : tick();
}

// ---- operations ----

static uint64_t random_timeout(void)
{
    unsigned r = random_below(4);
    return r == 0 ? 0 : r == 1 ? MODEL_FOREVER : 1 + random_below(r == 2 ? 5 : 5000);
}

// Locks are waited for without end in the order of their numbers only, or all would soon wait for each other.
static bool owns_from(int t, int object)
{
    for (int o = object + 1; o < OBJECTS; o++)
        if (model.objects[o].owner == t)
            return true;
    return false;
}

static bool is_lock(int object) { return object >= MUTEX_A && object <= SECTION_B; }

static DWORD timeout_argument(uint64_t timeout_ms) { return timeout_ms == MODEL_FOREVER ? INFINITE : (DWORD)timeout_ms; }

static void operate_wait(int t)
{
    int object = random_below(8) == 0 ? DEVICE_EVENT : (int)random_below(WAITABLE);
    uint64_t timeout_ms = random_timeout();
    if (timeout_ms == MODEL_FOREVER && is_lock(object) && owns_from(t, object))
        timeout_ms = 1 + random_below(5);
    last_operation = "WaitForSingleObject";
    model.threads[t].multiple = false;
    model_wait(t, &object, 1, timeout_ms);
    DWORD result = WaitForSingleObject(handles[object], timeout_argument(timeout_ms));
    expect("the wait's result", (long)result, (long)model.threads[t].result);
}

static void operate_wait_multiple(int t)
{
    int objects[MODEL_OBJECTS], count = 1 + (int)random_below(4);
    HANDLE list[MODEL_OBJECTS];
    for (int i = 0; i < count; i++) { // each once
        objects[i] = (int)random_below(WAITABLE);
        for (int j = 0; j < i; j++)
            if (objects[j] == objects[i])
                j = -1, objects[i] = (objects[i] + 1) % WAITABLE;
        list[i] = handles[objects[i]];
    }
    uint64_t timeout_ms = random_timeout();
    if (timeout_ms == MODEL_FOREVER && owns_from(t, -1))
        timeout_ms = 1 + random_below(50);
    last_operation = "WaitForMultipleObjects";
    may_interrupt = false; // it opens the gate between its steps: the model takes them as one
    model.threads[t].multiple = true;
    model_wait(t, objects, count, timeout_ms);
    DWORD result = WaitForMultipleObjects((DWORD)count, list, FALSE, timeout_argument(timeout_ms));
    expect("the wait's result", (long)result, (long)model.threads[t].result);
}

static void operate_event(int t)
{
    int object = (int)random_below(3);
    unsigned r = random_below(6);
    (void)t;
    if (object == MANUAL || r >= 4)
        may_interrupt = false; // waiters are released step by step: the model takes them as one
    last_operation = r < 4 ? "SetEvent" : r == 4 ? "ResetEvent" : "PulseEvent";
    if (r < 4)
        model_set(object, 1), SetEvent(handles[object]);
    else if (r == 4)
        model.objects[object].count = 0, ResetEvent(handles[object]);
    else
        model_pulse(object), PulseEvent(handles[object]);
}

static void operate_semaphore(int t)
{
    (void)t;
    int count = 1 + (int)random_below(3);
    last_operation = "ReleaseSemaphore";
    bool fits = count <= model.objects[SEMAPHORE].maximum - model.objects[SEMAPHORE].count;
    may_interrupt = false; // step by step, too
    if (fits)
        model_set(SEMAPHORE, count);
    expect("the release", ReleaseSemaphore(handles[SEMAPHORE], count, NULL), fits);
}

static void operate_release(int t)
{
    int object = MUTEX_A + (int)random_below(3);
    bool owned = model.objects[object].owner == t;
    last_operation = "ReleaseMutex";
    model_release(t, object);
    expect("the release", ReleaseMutex(handles[object]), owned);
}

static void operate_section(int t)
{
    int which = (int)random_below(2), object = SECTION_A + which;
    if (model.objects[object].owner == t && random_below(3) != 0) {
        last_operation = "LeaveCriticalSection";
        model_release(t, object);
        LeaveCriticalSection(&sections[which]);
    } else if (random_below(4) == 0 || (model.objects[object].owner != t && owns_from(t, object))) {
        last_operation = "TryEnterCriticalSection";
        may_interrupt = false;
        model_wait(t, &object, 1, 0);
        expect("the try", TryEnterCriticalSection(&sections[which]), model.threads[t].result == 0);
    } else {
        last_operation = "EnterCriticalSection";
        model.threads[t].multiple = false;
        model_wait(t, &object, 1, MODEL_FOREVER);
        EnterCriticalSection(&sections[which]);
    }
}

static void operate_sleep(int t)
{
    unsigned r = random_below(3);
    DWORD time_ms = r == 0 ? 0 : r == 1 ? 1 + random_below(5) : 1 + random_below(9000);
    last_operation = time_ms == 0 ? "Sleep(0)" : "Sleep";
    time_ms == 0 ? model_yield(t) : model_sleep(t, time_ms);
    Sleep(time_ms);
}

static void operate_other_thread(int t)
{
    int other = (int)random_below(MODEL_THREADS);
    HANDLE handle = thread_handles[other];
    (void)t;
    if (!model.threads[other].alive)
        return;
    unsigned r = random_below(8);
    if (r < 2) {
        last_operation = "SuspendThread";
        int earlier = model.threads[other].suspended;
        model_suspend(other);
        expect("the suspend count", (long)SuspendThread(handle), earlier);
    } else if (r < 5) {
        last_operation = "ResumeThread";
        int earlier = model.threads[other].suspended;
        model_resume(other);
        expect("the suspend count", (long)ResumeThread(handle), earlier);
    } else if (r < 7) {
        last_operation = "CeSetThreadPriority";
        int priority = 100 + (int)random_below(6);
        model_priority(other, priority);
        CeSetThreadPriority(handle, priority);
    } else {
        last_operation = "CeSetThreadQuantum";
        uint32_t quantum_ms = random_below(4);
        model.threads[other].quantum_ms = quantum_ms;
        if (other != t)
            model.threads[other].left_ms = quantum_ms;
        CeSetThreadQuantum(handle, quantum_ms);
    }
}

static void operate_done(int t)
{
    (void)t;
    last_operation = "InterruptDone";
    device_in_service = device_held;
    if (device_held)
        model_set(DEVICE_EVENT, 1);
    device_held = false;
    InterruptDone(DEVICE);
}

static void operate_interrupt(int t)
{
    (void)t;
    last_operation = "an interrupt";
    random_below(4) == 0 ? device_interrupt() : tick();
}

static DWORD thread_main(LPVOID argument);

static void thread_launch(int t, LPTHREAD_START_ROUTINE main)
{
    int priority = 100 + (int)random_below(6);
    last_operation = "CreateThread";
    may_interrupt = false;
    if (thread_handles[t] != NULL)
        CloseHandle(thread_handles[t]);
    thread_handles[t] = CreateThread(NULL, 0, main, (LPVOID)(intptr_t)t, CREATE_SUSPENDED, NULL);
    expect("the new thread's handle is good", thread_handles[t] != NULL, 1);
    CeSetThreadPriority(thread_handles[t], priority);
    CeSetThreadQuantum(thread_handles[t], 2);
    model_thread_add(t, priority, 2);
    ResumeThread(thread_handles[t]);
}

static void operate_launch(int t)
{
    (void)t;
    int other = (int)random_below(MODEL_THREADS - 1); // not the helper
    if (!model.threads[other].alive)
        thread_launch(other, thread_main);
}

static bool owns_something(int t)
{
    for (int o = 0; o < OBJECTS; o++)
        if (model.objects[o].owner == t)
            return true;
    return false;
}

static void operate_bad_handle(int t)
{
    (void)t;
    last_operation = "a call with a bad handle";
    HANDLE bad = (HANDLE)(uintptr_t)((uintptr_t)handles[random_below(WAITABLE)] + HANDLE_GENERATION * (1 + random_below(9)));
    expect("waiting for nothing", (long)WaitForSingleObject(bad, 0), (long)WAIT_FAILED);
    expect("the error", (long)GetLastError(), ERROR_INVALID_HANDLE);
    may_interrupt = false; // closing takes the lock on all objects, which the model does not have
    expect("setting nothing", SetEvent(bad) || ResetEvent(bad) || ReleaseMutex(bad) || CloseHandle(bad), 0);
}

static void (*const operations[])(int) = {
    operate_wait,    operate_wait,   operate_wait,    operate_wait_multiple, operate_event,        operate_event,
    operate_event,   operate_release, operate_release, operate_section,      operate_section,      operate_semaphore,
    operate_sleep,   operate_other_thread, operate_other_thread, operate_done, operate_interrupt, operate_interrupt,
    operate_launch,  operate_bad_handle,
};

static void finish(void)
{
    printf("seed %lu: %lu calls agree, %lu ended by another thread's turn, %lu interrupts inside calls\n", seed,
           calls_checked, switches_seen, interrupts_inside);
    exit(0);
}

static DWORD thread_main(LPVOID argument)
{
    int t = (int)(intptr_t)argument;
    compare();
    for (;;) {
        if (operations_left-- == 0)
            finish();
        if (random_below(60) == 0 && !owns_something(t)) {
            last_operation = "ending";
            may_interrupt = false;
            model_exit(t);
            return (DWORD)t;
        }
        unsigned long before = calls_checked;
        may_interrupt = true;
        operations[random_below(sizeof operations / sizeof operations[0])](t);
        may_interrupt = false;
        switches_seen += calls_checked != before;
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

#define HELPER (MODEL_THREADS - 1) // launched by the idle thread alone: releases what many may wait for

static DWORD helper_main(LPVOID unused)
{
    (void)unused;
    compare();
    last_operation = "helping";
    may_interrupt = false; // and again after each call, in which others may have run
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

// What the idle thread does so that the others have something to run for. Releasing many is not for it.
static void idle_help(void)
{
    for (int t = 0; t < MODEL_THREADS; t++) {
        if (!model.threads[t].alive) {
            thread_launch(t, t == HELPER ? helper_main : thread_main);
        } else if (model.threads[t].suspended) {
            model_resume(t);
            ResumeThread(thread_handles[t]);
        }
    }
    for (int o = 0; o < MANUAL; o++) {
        model_set(o, 1);
        SetEvent(handles[o]);
    }
}

// usage: random_test SEED [chain]: one run; the exit code says whether kernel and model agree.
int main(int count, char **arguments)
{
    seed = count > 1 ? strtoul(arguments[1], NULL, 10) : 1;
    random_state = seed * 0x9E3779B97F4A7C15u + 1;
    operations_left = OPERATIONS;
    uint64_t start_ms = 0xFFFFFFFFu - 3000; // GetTickCount wraps during the run
    model.chain = profile.inheritance_chain = count > 2 && strcmp(arguments[2], "chain") == 0;
    model.now_ms = start_ms;
    port_start(start_ms);
    port_before_open = interrupt_inside;
    objects_create();
    for (int t = 0; t < MODEL_THREADS / 2; t++)
        if (!model.threads[t].alive) // those launched before run first, and launch others
            thread_launch(t, thread_main);
    for (unsigned i = 0; i < IDLE_STEPS_MAX; i++) { // the idle thread
        compare();
        last_operation = "an interrupt while idle";
        if (random_below(20) == 0) { // or everything may be blocked for ever
            idle_help();
        } else {
            random_below(4) == 0 ? device_interrupt() : tick_after(1 + random_below(random_below(4) == 0 ? 2000 : 3));
        }
    }
    printf("seed %lu: idle for ever with %lu operations left: its threads wait for each other\n", seed,
           operations_left);
    return 0;
}
