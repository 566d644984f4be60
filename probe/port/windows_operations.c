// SPDX-License-Identifier: MIT OR Apache-2.0
// Windows: semaphore, mutex and critical section, measured by the calls of these names as in the papers, and a second
// thread. The port does not support a second process yet and refuses rows across processes.
#include "operations.h"
#include "windows.h"

#include <string.h>

static HANDLE *windows_object(void *room)
{
    return room;
}

static const char *windows_made(void *room, HANDLE object)
{
    *windows_object(room) = object;
    return object ? NULL : windows_refusal("Windows has no more objects");
}

static const char WITHOUT_PROCESS[] = "the probe starts no second process on Windows: leave out rows across processes";

static const char *semaphore_make(void *room, bool across)
{
    return across ? WITHOUT_PROCESS : windows_made(room, CreateSemaphoreA(NULL, 0, 1, NULL));
}

static void object_wait(void *room)
{
    WaitForSingleObject(*windows_object(room), INFINITE);
}

static void semaphore_wake(void *room)
{
    ReleaseSemaphore(*windows_object(room), 1, NULL);
}

static const char *mutex_make(void *room, bool across)
{
    return across ? WITHOUT_PROCESS : windows_made(room, CreateMutexA(NULL, FALSE, NULL));
}

static void mutex_release(void *room)
{
    ReleaseMutex(*windows_object(room));
}

static const char *section_make(void *room, bool across)
{
    if (across)
        return "a critical section is one process's";
    InitializeCriticalSectionAndSpinCount(room, 0);
    return NULL;
}

static void section_enter(void *room)
{
    EnterCriticalSection(room);
}

static void section_leave(void *room)
{
    LeaveCriticalSection(room);
}

static const struct port_waker WAKERS[] = {
    {"semaphore", semaphore_make, NULL, NULL, object_wait, semaphore_wake, NULL},
    {"mutex", mutex_make, NULL, object_wait, object_wait, mutex_release, mutex_release},
    {"critical-section", section_make, NULL, section_enter, section_enter, section_leave, section_leave},
};

const struct port_waker *port_waker(const char *name)
{
    return PORT_ROW(WAKERS, name);
}

// A wait that ends at once: into the kernel and back.
static void system_call_repeat(void *room, uint32_t times)
{
    (void)room;
    while (times-- > 0)
        WaitForSingleObject(GetCurrentProcess(), 0);
}

// Each critical section is entered and left once.
static const char *sections_make(void *room)
{
    CRITICAL_SECTION *sections = room;

    for (size_t i = 0; i < PORT_ROOM_BYTES / sizeof *sections; i++)
        InitializeCriticalSectionAndSpinCount(&sections[i], 0);
    return NULL;
}

static void sections_enter(void *room, uint32_t times)
{
    for (CRITICAL_SECTION *section = room; times > 0; section++, times--)
        EnterCriticalSection(section);
}

static void sections_leave(void *room, uint32_t times)
{
    for (CRITICAL_SECTION *section = room; times > 0; section++, times--)
        LeaveCriticalSection(section);
}

static const struct port_call CALLS[] = {
    {"system-call", NULL, NULL, system_call_repeat, NULL},
    {"critical-section-enter", sections_make, NULL, sections_enter, sections_leave},
    {"critical-section-leave", sections_make, sections_enter, sections_leave, NULL},
};

const struct port_call *port_call(const char *name)
{
    return PORT_ROW(CALLS, name);
}

const char *port_partner_start(void (*run)(void *argument), void *argument, bool across)
{
    return across ? WITHOUT_PROCESS : port_thread_start(run, argument);
}

bool port_partner_alive(void)
{
    return true;
}

void port_partner_end(void)
{
}

void *port_memory_shared(size_t bytes)
{
    return port_memory_map(bytes);
}

bool port_partner_read(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

// There are no such servers here; another thread answers instead.
bool port_server_start(port_serve serve, const char **refusal)
{
    (void)serve;
    *refusal = NULL;
    return false;
}

uint64_t port_server_call(uint64_t method, const uint64_t *words)
{
    (void)method;
    (void)words;
    return 0;
}

static struct {
    void (*run)(void *argument);
    void *argument;
    HANDLE thread;
} windows_spawned;

static DWORD WINAPI windows_spawned_run(void *unused)
{
    (void)unused;
    windows_spawned.run(windows_spawned.argument);
    return 0;
}

const char *port_spawn(void (*run)(void *argument), void *argument, bool across)
{
    if (across)
        return WITHOUT_PROCESS;
    windows_spawned.run = run;
    windows_spawned.argument = argument;
    windows_spawned.thread = CreateThread(NULL, 0, windows_spawned_run, NULL, 0, NULL);
    return windows_spawned.thread ? NULL : windows_refusal("a thread cannot be made");
}

void port_spawn_end(void)
{
    WaitForSingleObject(windows_spawned.thread, INFINITE);
    CloseHandle(windows_spawned.thread);
}

const char *port_mark_open(uint64_t address)
{
    (void)address;
    return "Windows lets no program write to a parallel port: leave out the marks";
}

void port_mark(uint8_t value)
{
    (void)value;
}

uint64_t port_thread_waits(void)
{
    return UINT64_MAX;
}

void port_yield(void)
{
    Sleep(0);
}
