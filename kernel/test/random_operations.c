// SPDX-License-Identifier: MIT OR Apache-2.0
// The random operations of random_test's threads. Each changes the model first, then calls the kernel.
#include "core/thread.h"
#include "test/random.h"
#include "test/runs.h"

static uint64_t random_timeout(void)
{
    unsigned r = random_below(4);
    return r == 0 ? 0 : r == 1 ? MODEL_FOREVER : 1 + random_below(r == 2 ? 5 : 5000);
}

// Threads wait for locks without a timeout only in the order of the locks' numbers; otherwise they would soon deadlock.
static bool owns_from(int t, int object)
{
    for (int o = object + 1; o < OBJECTS; o++)
        if (model.objects[o].owner == t)
            return true;
    return false;
}

static bool is_lock(int object)
{
    return object >= MUTEX_A && object <= SECTION_B;
}

static DWORD timeout_argument(uint64_t timeout_ms)
{
    return timeout_ms == MODEL_FOREVER ? INFINITE : (DWORD)timeout_ms;
}

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
    for (int i = 0; i < count; i++) { // each object once
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
    may_interrupt = false; // the call opens the gate between its steps, which the model does at once
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
        may_interrupt = false; // waiters are released in steps, which the model does at once
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
    may_interrupt = false; // also in steps
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

static void operate_terminate(int t)
{
    int other = (int)random_below(HELPER);
    // Neither thread may own anything. Then the caller's priority does not fall, and it is not preempted while it holds the lock
    // on all objects, which the model lacks.
    if (!model.threads[other].alive || other == t || owns_something(other) || owns_something(t))
        return;
    last_operation = "TerminateThread";
    may_interrupt = false;
    model_terminate(other);
    expect("ending a thread", TerminateThread(thread_handles[other], 5), TRUE);
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
        if (other != t || model.threads[other].quantum_ms == 0) // completed: a whole quantum is left
            model.threads[other].left_ms = quantum_ms;
        model.threads[other].quantum_ms = quantum_ms;
        CeSetThreadQuantum(handle, quantum_ms);
    }
}

void operate_done(int t)
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

static void operate_launch(int t)
{
    (void)t;
    int other = (int)random_below(MODEL_THREADS - 1); // any thread except the helper
    if (!model.threads[other].alive)
        thread_launch(other);
}

static void operate_bad_handle(int t)
{
    (void)t;
    last_operation = "a call with a bad handle";
    HANDLE bad =
        (HANDLE)(uintptr_t)((uintptr_t)handles[random_below(WAITABLE)] + HANDLE_GENERATION * (1 + random_below(9)));
    expect("waiting for nothing", (long)WaitForSingleObject(bad, 0), (long)WAIT_FAILED);
    expect("the error", (long)GetLastError(), ERROR_INVALID_HANDLE);
    may_interrupt = false; // closing takes the lock on all objects, which the model lacks
    expect("setting nothing", SetEvent(bad) || ResetEvent(bad) || ReleaseMutex(bad) || CloseHandle(bad), 0);
}

static void (*const operations[])(int) = {
    operate_wait,      operate_wait,      operate_wait,      operate_wait_multiple, operate_event,
    operate_event,     operate_event,     operate_release,   operate_release,       operate_section,
    operate_section,   operate_semaphore, operate_sleep,     operate_other_thread,  operate_other_thread,
    operate_done,      operate_interrupt, operate_interrupt, operate_launch,        operate_bad_handle,
    operate_terminate,
};

void operate(int t)
{
    operations[random_below(sizeof operations / sizeof operations[0])](t);
}
