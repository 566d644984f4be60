// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: its semaphore, mutex and critical section, its calls, and marks. There is only one CPU.
#include "detent_objects.h"
#include "detent_threads.h"
#include "operations.h"
#include "port.h"

#include "../../wire/connector.h"

#include "board.h"
#include "detent.h"

static const char *object_make(void *room, enum detent_kind kind)
{
    return detent_object_open(room, kind) ? NULL : "Detent has no more objects";
}

static const char *semaphore_make(void *room, bool across)
{
    (void)across;
    return object_make(room, DETENT_SEMAPHORE);
}

static void semaphore_wait(void *room)
{
    WaitForSingleObject(detent_object(room, DETENT_SEMAPHORE), INFINITE);
}

static void semaphore_wake(void *room)
{
    ReleaseSemaphore(detent_object(room, DETENT_SEMAPHORE), 1, NULL);
}

static const char *mutex_make(void *room, bool across)
{
    (void)across;
    return object_make(room, DETENT_MUTEX);
}

static void mutex_wait(void *room)
{
    WaitForSingleObject(detent_object(room, DETENT_MUTEX), INFINITE);
}

static void mutex_release(void *room)
{
    ReleaseMutex(detent_object(room, DETENT_MUTEX));
}

// Critical sections of the current operation, in an array. detent_sections_end() deletes them.
static CRITICAL_SECTION *detent_sections;
static size_t detent_sections_count;

static void sections_take(void *room, size_t count)
{
    detent_sections = room;
    detent_sections_count = count;
    for (size_t i = 0; i < count; i++)
        InitializeCriticalSection(&detent_sections[i]);
}

void detent_sections_end(void)
{
    for (; detent_sections_count > 0; detent_sections_count--)
        DeleteCriticalSection(&detent_sections[detent_sections_count - 1]);
}

static const char *section_make(void *room, bool across)
{
    if (across)
        return "a critical section is one process's";
    sections_take(room, 1);
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
    {"semaphore", semaphore_make, NULL, NULL, semaphore_wait, semaphore_wake, NULL},
    {"mutex", mutex_make, NULL, mutex_wait, mutex_wait, mutex_release, mutex_release},
    {"critical-section", section_make, NULL, section_enter, section_enter, section_leave, section_leave},
};

const struct port_waker *port_waker(const char *name)
{
    return PORT_ROW(WAKERS, name);
}

static void system_call_repeat(void *room, uint32_t times)
{
    (void)room;
    while (times-- > 0)
        GetLastError();
}

// Each critical section is entered and left once.
static const char *sections_make(void *room)
{
    sections_take(room, PORT_ROOM_BYTES / sizeof(CRITICAL_SECTION));
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

uint64_t port_thread_waits(void)
{
    return UINT64_MAX;
}

void port_yield(void)
{
    Sleep(0);
}

uint16_t detent_mark;

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
        connector_out(detent_mark, value);
}
