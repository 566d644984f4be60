// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls by which processes create, open and close objects. All processes share the names.
#include "process/registry.h"
#include "process/entries.h"
#include "process/handles.h"
#include "process/user.h"

#include "core/error.h"
#include "core/likely.h"

// Copies a name; a NULL name stays NULL. False and an error if the memory is not accessible. The kernel refuses a name
// that is too long.
static bool name_read(char (*name)[NAME_CHARS_MAX + 1], uint64_t from, LPCTSTR *read)
{
    *read = from == 0 ? NULL : *name;
    if (from == 0)
        return true;
    if (!user_holds(from, 1) || user_copy_text(*name, (const char *)from, NAME_CHARS_MAX) == MAXDWORD)
        return thread_error(ERROR_NOACCESS);
    (*name)[NAME_CHARS_MAX] = '\0';
    return true;
}

// Checks for room for the handle before the object is created, because an owned object could not be closed again.
static bool room_is_there(void)
{
    return process_current->first_free != 0 || thread_error(ERROR_NOT_ENOUGH_MEMORY);
}

// Creates an object with the caller's name by CREATE and returns a handle of the process. It keeps the kernel's error, which may
// be that the name existed.
#define MAKE(name_from, create) \
    char name_room[NAME_CHARS_MAX + 1]; \
    LPCTSTR name; \
    if (!name_read(&name_room, name_from, &name)) \
        return 0; \
    process_lock(); \
    uint64_t handle = room_is_there() ? handle_give(process_current, create) : 0; \
    process_unlock(); \
    return handle

static LPVOID attributes_seen(uint64_t attributes)
{
    return (LPVOID)attributes; // the kernel checks only whether it is NULL
}

uint64_t call_CreateEvent(uint64_t attributes, uint64_t manual_reset, uint64_t initial_state, uint64_t name_from)
{
    MAKE(name_from, CreateEvent(attributes_seen(attributes), (BOOL)manual_reset, (BOOL)initial_state, name));
}

uint64_t call_CreateSemaphore(uint64_t attributes, uint64_t initial_count, uint64_t maximum_count, uint64_t name_from)
{
    MAKE(name_from, CreateSemaphore(attributes_seen(attributes), (LONG)initial_count, (LONG)maximum_count, name));
}

uint64_t call_CreateMutex(uint64_t attributes, uint64_t initial_owner, uint64_t name_from)
{
    MAKE(name_from, CreateMutex(attributes_seen(attributes), (BOOL)initial_owner, name));
}

uint64_t call_CloseHandle(uint64_t handle)
{
    process_lock();
    BOOL closed = handle_close(handle);
    process_unlock();
    return (uint64_t)closed;
}
