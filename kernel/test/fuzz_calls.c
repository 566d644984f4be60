// SPDX-License-Identifier: MIT OR Apache-2.0
// See fuzz.h. Handles are in slots that all threads share; a thread may close a slot's handle while others use it.
#include "core/catch_up.h"
#include "core/ready.h"
#include "core/thread.h"
#include "core/threads.h"
#include "test/fuzz.h"
#include "test/runs.h"

#define SLOTS 24
#define SECTIONS 2
#define LIST_MAX 8
#define HIGHEST 100       // highest priority of the workers
#define THREADS_FUZZED 24 // threads that exist at the same time

enum slot_kind { SLOT_EVENT, SLOT_MANUAL, SLOT_SEMAPHORE, SLOT_MUTEX, SLOT_THREAD, SLOT_KINDS };

static HANDLE slots[SLOTS];
static CRITICAL_SECTION sections[SECTIONS];
static unsigned calls_now[THREADS_MAX + 1]; // by thread: 1 + its current call; 0: none
static bool owns_section[THREADS_MAX];

// The number of the thread that makes the call, even if its table entry has just been freed.
static unsigned thread_index(void)
{
    bool kernels = kernel.current == &idle_thread || kernel.current == &clock_thread;
    return kernels ? THREADS_MAX : (unsigned)(kernel.current - threads);
}

static int some_priority(void)
{
    return HIGHEST + (int)random_below(6);
}

static HANDLE some_handle(void)
{
    HANDLE handle = slots[random_below(SLOTS)];
    return random_below(50) == 0 ? (HANDLE)((uintptr_t)handle + HANDLE_GENERATION) : handle;
}

// No wait for a lock is infinite, because its owner may itself wait for one of the caller's locks.
static DWORD some_time(void)
{
    return random_below(6) == 0 ? 0 : random_below(40);
}

static bool can_wait_for_ever(HANDLE handle)
{
    unsigned kind = HANDLE_KIND(handle);
    return (kind == KIND_EVENT || kind == KIND_SEMAPHORE) && random_below(8) == 0;
}

static void wait_single(void)
{
    HANDLE handle = some_handle();
    WaitForSingleObject(handle, can_wait_for_ever(handle) ? INFINITE : some_time());
}

static void wait_multiple(void)
{
    HANDLE list[LIST_MAX];
    DWORD count = 1 + random_below(LIST_MAX);
    for (DWORD i = 0; i < count; i++)
        list[i] = some_handle();
    WaitForMultipleObjects(count, list, FALSE, some_time());
}

static void set_event(void)
{
    SetEvent(some_handle());
}
static void reset_event(void)
{
    ResetEvent(some_handle());
}
static void pulse_event(void)
{
    PulseEvent(some_handle());
}
static void release_semaphore(void)
{
    ReleaseSemaphore(some_handle(), 1 + (LONG)random_below(3), NULL);
}
static void release_mutex(void)
{
    ReleaseMutex(some_handle());
}

// A thread owns at most one section, so that no two threads wait for each other's section for ever.
static void section_enter(void)
{
    unsigned index = thread_index();
    if (owns_section[index])
        return;
    CRITICAL_SECTION *section = &sections[random_below(SECTIONS)];
    owns_section[index] = true;
    EnterCriticalSection(section);
    if (random_below(2) == 0)
        WaitForSingleObject(some_handle(), random_below(4));
    LeaveCriticalSection(section);
    owns_section[index] = false;
}

static void section_try(void)
{
    CRITICAL_SECTION *section = &sections[random_below(SECTIONS)];
    if (TryEnterCriticalSection(section))
        LeaveCriticalSection(section);
}

static void sleep_shortly(void)
{
    Sleep(random_below(5));
}
static void yield(void)
{
    Sleep(0);
}
static void suspend(void)
{
    SuspendThread(some_handle());
}
static void suspend_self(void)
{
    SuspendThread(GetCurrentThread());
}
static void resume(void)
{
    ResumeThread(some_handle());
}
static void set_priority(void)
{
    CeSetThreadPriority(some_handle(), some_priority());
}

// Only workers change their priority and end; interrupt threads do not.
static bool is_worker(void)
{
    return kernel.current->base_priority >= HIGHEST;
}

static void set_own_priority(void)
{
    if (is_worker())
        CeSetThreadPriority(GetCurrentThread(), some_priority());
}

static void set_quantum(void)
{
    CeSetThreadQuantum(some_handle(), random_below(4));
}
static void tick_count(void)
{
    GetTickCount();
}

static unsigned threads_in_use(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < THREADS_MAX; i++)
        count += !object_is_free(&threads[i].object);
    return count;
}

static HANDLE thread_new(void)
{
    if (threads_in_use() >= THREADS_FUZZED)
        return NULL;
    HANDLE thread = CreateThread(NULL, 0, fuzz_worker, NULL, random_below(2) ? CREATE_SUSPENDED : 0, NULL);
    CeSetThreadPriority(thread, some_priority());
    CeSetThreadQuantum(thread, random_below(4));
    return thread;
}

static HANDLE object_new(unsigned kind)
{
    static const char *const names[] = {NULL, NULL, "a", "b"};
    const char *name = names[random_below(4)];
    switch (kind) {
    case SLOT_EVENT:
    case SLOT_MANUAL:
        return CreateEvent(NULL, kind == SLOT_MANUAL, random_below(2) == 0, name);
    case SLOT_SEMAPHORE:
        return CreateSemaphore(NULL, (LONG)random_below(3), 5, name);
    case SLOT_MUTEX:
        return CreateMutex(NULL, kernel.current != &idle_thread && random_below(4) == 0, name);
    default:
        return thread_new();
    }
}

// The slot is empty while its handle is being closed, so that no thread closes it twice. A handle that cannot be closed is put
// back.
static void slot_close(unsigned slot)
{
    HANDLE handle = slots[slot];
    slots[slot] = NULL;
    if (handle != NULL && !CloseHandle(handle) && slots[slot] == NULL)
        slots[slot] = handle;
}

// Another thread may have filled the slot meanwhile.
static void slot_fill(unsigned slot, HANDLE handle)
{
    if (slots[slot] == NULL)
        slots[slot] = handle;
    else if (handle != NULL)
        CloseHandle(handle);
}

static void create(void)
{
    unsigned slot = random_below(SLOTS);
    if (slots[slot] != NULL)
        slot_close(slot);
    if (slots[slot] != NULL)
        return;
    slot_fill(slot, object_new(random_below(SLOT_KINDS)));
}

static void close_handle(void)
{
    slot_close(random_below(SLOTS));
}

// A thread that owns a section does not exit, because others wait for it without a timeout. Its mutexes become abandoned.
static void exit_thread(void)
{
    if (!owns_section[thread_index()] && is_worker())
        ExitThread(1);
}

// Ends another worker in any state, but no interrupt thread. It does so seldom, so that some workers remain.
static void terminate_thread(void)
{
    HANDLE handle = some_handle();
    gate_close();
    const struct thread *thread = random_below(3) == 0 ? thread_find(handle) : NULL;
    bool allowed = thread != NULL && thread != kernel.current && thread->base_priority >= HIGHEST;
    if (gate_open_found_pending())
        kernel_catch_up();
    if (allowed)
        TerminateThread(handle, 3);
}

const struct fuzz_call fuzz_calls[] = {
    {"WaitForSingleObject", wait_single, false},
    {"WaitForMultipleObjects", wait_multiple, false},
    {"SetEvent", set_event, false},
    {"ResetEvent", reset_event, true},
    {"PulseEvent", pulse_event, false},
    {"ReleaseSemaphore", release_semaphore, false},
    {"ReleaseMutex", release_mutex, false},
    {"EnterCriticalSection", section_enter, false},
    {"TryEnterCriticalSection", section_try, true},
    {"Sleep", sleep_shortly, false},
    {"Sleep(0)", yield, false},
    {"SuspendThread", suspend, false},
    {"SuspendThread(self)", suspend_self, false},
    {"ResumeThread", resume, false},
    {"CeSetThreadPriority", set_priority, false},
    {"CeSetThreadPriority(self)", set_own_priority, false},
    {"CeSetThreadQuantum", set_quantum, false},
    {"GetTickCount", tick_count, true},
    {"Create", create, false},
    {"CloseHandle", close_handle, false},
    {"ExitThread", exit_thread, false},
    {"TerminateThread", terminate_thread, false},
    {"LoadIntChainHandler", fuzz_chain_load, false},
    {"FreeIntChainHandler", fuzz_chain_free, false},
    {"InterruptInitialize", fuzz_interrupt_take, false},
    {"InterruptDisable", fuzz_interrupt_drop, false},
};
const unsigned fuzz_calls_count = sizeof fuzz_calls / sizeof fuzz_calls[0];

// The thread that had this table entry before may have been ended inside a call.
void fuzz_begin(void)
{
    unsigned index = thread_index();
    calls_now[index] = 0;
    owns_section[index] = false;
}

void fuzz_make(unsigned call)
{
    unsigned index = thread_index();
    calls_now[index] = 1 + call;
    fuzz_calls[call].make();
    calls_now[index] = 0;
}

unsigned fuzz_call_now(void)
{
    unsigned now = calls_now[thread_index()];
    return now == 0 ? fuzz_calls_count : now - 1;
}

static HANDLE help_wanted;

static bool has_ended(HANDLE handle)
{
    DWORD code;
    return HANDLE_KIND(handle) == KIND_THREAD && GetExitCodeThread(handle, &code) && code != STILL_ACTIVE;
}

// The idle thread neither releases semaphores, closes nor creates objects: that may wait, and the idle thread cannot own the lock
// on all objects.
static void help(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (HANDLE_KIND(slots[i]) == KIND_EVENT)
            SetEvent(slots[i]);
        else if (HANDLE_KIND(slots[i]) == KIND_SEMAPHORE)
            ReleaseSemaphore(slots[i], 1, NULL);
        else if (has_ended(slots[i]))
            slot_close(i);
        if (slots[i] == NULL)
            slot_fill(i, thread_new());
    }
}

static DWORD helper_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(help_wanted, INFINITE) == WAIT_OBJECT_0)
        help();
    return 0;
}

void fuzz_start(unsigned workers)
{
    for (unsigned i = 0; i < SECTIONS; i++)
        InitializeCriticalSection(&sections[i]);
    for (unsigned i = 0; i < SLOTS; i++)
        slots[i] = i < workers ? CreateThread(NULL, 0, fuzz_worker, NULL, CREATE_SUSPENDED, NULL)
                               : object_new(i % SLOT_THREAD);
    for (unsigned i = 0; i < workers; i++) {
        CeSetThreadPriority(slots[i], some_priority());
        CeSetThreadQuantum(slots[i], 2);
    }
    fuzz_lines_start();
    help_wanted = CreateEvent(NULL, FALSE, FALSE, NULL);
    CloseHandle(CreateThread(NULL, 0, helper_main, NULL, 0, NULL));
}

void fuzz_help(void)
{
    for (unsigned i = 0; i < THREADS_MAX; i++)
        if (!object_is_free(&threads[i].object) && threads[i].suspend_count > 0)
            ResumeThread((HANDLE)threads[i].object.handle);
    SetEvent(help_wanted);
}
