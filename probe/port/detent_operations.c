// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: its semaphore, mutex and critical section, and its calls. There is one processor, and no process beside the first.
#include "detent_threads.h"
#include "operations.h"
#include "port.h"

#include "../../wire/connector.h"

#include "board.h"
#include "detent.h"

#include <string.h>

static const char NO_PROCESS[] = "this image has no second process";

static HANDLE detent_handle(void *room)
{
    return *(HANDLE *)room;
}

#define OBJECTS_MAX 2 // that one operation makes

// Of the operation under way; they go with its partner.
static HANDLE detent_partner, detent_objects[OBJECTS_MAX];

static const char *detent_made(void *room, HANDLE made)
{
    *(HANDLE *)room = made;
    detent_objects[detent_objects[0] ? 1 : 0] = made;
    return made ? NULL : "Detent has no more objects";
}

static void handle_wait(void *room)
{
    WaitForSingleObject(detent_handle(room), INFINITE);
}

static const char *semaphore_make(void *room, bool across)
{
    return across ? NO_PROCESS : detent_made(room, CreateSemaphore(NULL, 0, 1, NULL));
}

static void semaphore_wake(void *room)
{
    ReleaseSemaphore(detent_handle(room), 1, NULL);
}

static const char *mutex_make(void *room, bool across)
{
    return across ? NO_PROCESS : detent_made(room, CreateMutex(NULL, FALSE, NULL));
}

static void mutex_release(void *room)
{
    ReleaseMutex(detent_handle(room));
}

static const char *section_make(void *room, bool across)
{
    InitializeCriticalSection(room);
    return across ? NO_PROCESS : NULL;
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
    {"semaphore", semaphore_make, NULL, NULL, handle_wait, semaphore_wake, NULL},
    {"mutex", mutex_make, NULL, handle_wait, handle_wait, mutex_release, mutex_release},
    {"critical-section", section_make, NULL, section_enter, section_enter, section_leave, section_leave},
};

const struct port_waker *port_waker(const char *name)
{
    for (size_t i = 0; i < sizeof WAKERS / sizeof WAKERS[0]; i++) {
        if (strcmp(WAKERS[i].name, name) == 0)
            return &WAKERS[i];
    }
    return NULL;
}

static void system_call_repeat(void *room, uint32_t times)
{
    (void)room;
    while (times-- > 0)
        GetLastError();
}

// Critical sections in a row, each entered and left once.
static const char *sections_make(void *room)
{
    CRITICAL_SECTION *sections = room;

    for (size_t i = 0; i < PORT_ROOM_BYTES / sizeof *sections; i++)
        InitializeCriticalSection(&sections[i]);
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
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        if (strcmp(CALLS[i].name, name) == 0)
            return &CALLS[i];
    }
    return NULL;
}

const char *port_partner_start(void (*run)(void *argument), void *argument, bool across)
{
    const char *refusal = NO_PROCESS;

    if (!across)
        detent_partner = detent_thread_make(run, argument, &refusal);
    return refusal;
}

bool port_partner_alive(void)
{
    return true;
}

// It waits for its next round, and what the round was with is nobody's any more.
void port_partner_end(void)
{
    if (detent_partner) {
        TerminateThread(detent_partner, 0);
        CloseHandle(detent_partner);
    }
    detent_partner = NULL;
    for (unsigned i = 0; i < OBJECTS_MAX; i++) {
        if (detent_objects[i])
            CloseHandle(detent_objects[i]);
        detent_objects[i] = NULL;
    }
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

const char *port_spawn(void (*run)(void *argument), void *argument, bool across)
{
    return across ? NO_PROCESS : port_thread_start(run, argument);
}

void port_spawn_end(void)
{
}

uint64_t port_thread_waits(void)
{
    return UINT64_MAX;
}

void port_yield(void)
{
    Sleep(0);
}

// The data register of a connector; 0: no marks.
static uint16_t detent_mark;

const char *port_mark_open(uint64_t address)
{
    if (address != CONNECTOR_A_PORT && address != CONNECTOR_B_PORT)
        return "no parallel port has this address: 0x378 and 0x278 have outputs";
    detent_mark = (uint16_t)address;
    return NULL;
}

void port_mark(uint8_t value)
{
    if (detent_mark)
        out8(detent_mark, value);
}
