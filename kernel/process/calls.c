// SPDX-License-Identifier: MIT OR Apache-2.0
// The kernel's entries of the system calls that a shape describes, and the table of all entries.
#include "process/calls.h"

#include "core/error.h"
#include "core/likely.h"
#include "process/entries.h"
#include "process/handles.h"
#include "process/user.h"

// The shapes of calls. An entry checks pointers before the call and writes through them after it. So the entry refuses
// a call whose result could not be written, except if another thread removes the page during the call.
#define ENTRY__(name) \
    static uint64_t call_##name(void) \
    { \
        return (uint64_t)name(); \
    }
#define ENTRY_S_(name) \
    static uint64_t call_##name(void) \
    { \
        name(); \
        return 0; \
    }
#define ENTRY_S_N(name) \
    static uint64_t call_##name(uint64_t number) \
    { \
        name((DWORD)number); \
        return 0; \
    }
#define ENTRY_H(name) \
    static uint64_t call_##name(uint64_t handle) \
    { \
        return (uint64_t)name(handle_object(handle)); \
    }
#define ENTRY_HN(name) \
    SELDOM static uint64_t call_##name(uint64_t handle, uint64_t number) \
    { \
        return (uint64_t)name(handle_object(handle), (DWORD)number); \
    }
#define ENTRY_WN(name) \
    static uint64_t call_##name(uint64_t handle, uint64_t number) \
    { \
        HANDLE object = handle_object(handle); \
        return name(LIKELY(object != NULL) ? object : handle_rare(handle), (DWORD)number); \
    }
#define ENTRY_HD(name) \
    SELDOM static uint64_t call_##name(uint64_t handle, uint64_t to) \
    { \
        DWORD number; \
        if (!user_can_take(to, sizeof number)) \
            return thread_error(ERROR_NOACCESS); \
        return name(handle_object(handle), &number) \
               && (user_write(to, &number, sizeof number) || thread_error(ERROR_NOACCESS)); \
    }
#define ENTRY_HNO(name) \
    static uint64_t call_##name(uint64_t handle, uint64_t number, uint64_t to) \
    { \
        LONG earlier; \
        if (LIKELY(to == 0)) \
            return (uint64_t)name(handle_object(handle), (LONG)number, NULL); \
        if (!user_can_take(to, sizeof earlier)) \
            return thread_error(ERROR_NOACCESS); \
        return name(handle_object(handle), (LONG)number, &earlier) \
               && (user_write(to, &earlier, sizeof earlier) || thread_error(ERROR_NOACCESS)); \
    }
#define ENTRY_OWN(name)
#define ENTRY(name, shape) ENTRY_##shape(name)
SYSTEM_CALLS(ENTRY)

#define IN_TABLE(name, shape) (void (*)(void)) call_##name,
extern void (*const system_calls[])(void);
void (*const system_calls[])(void) = {SYSTEM_CALLS(IN_TABLE)};

SELDOM uint64_t system_call_unknown(void)
{
    return thread_error(ERROR_INVALID_FUNCTION);
}

uint64_t call_GetCurrentProcessId(void)
{
    return process_current->id;
}

// Reads the handles once, so that no other thread can change them between check and use.
SELDOM uint64_t call_WaitForMultipleObjects(uint64_t count, uint64_t from, uint64_t all, uint64_t timeout_ms)
{
    uint64_t handles[WAIT_OBJECTS_MAX];
    HANDLE objects[WAIT_OBJECTS_MAX];
    if (count == 0 || count > WAIT_OBJECTS_MAX || !user_read(handles, from, count * sizeof handles[0])) {
        thread_error(count == 0 || count > WAIT_OBJECTS_MAX ? ERROR_INVALID_PARAMETER : ERROR_NOACCESS);
        return WAIT_FAILED;
    }
    for (uint64_t i = 0; i < count; i++) {
        objects[i] = handle_object(handles[i]);
        if (objects[i] == NULL)
            objects[i] = handle_rare(handles[i]);
    }
    return WaitForMultipleObjects((DWORD)count, objects, (BOOL)all, (DWORD)timeout_ms);
}

SELDOM uint64_t call_QueryPerformanceFrequency(uint64_t to)
{
    LARGE_INTEGER value;
    QueryPerformanceFrequency(&value);
    return user_can_take(to, sizeof value) && user_write(to, &value, sizeof value) ? TRUE
                                                                                   : thread_error(ERROR_NOACCESS);
}

SELDOM uint64_t call_debug_text(uint64_t from)
{
    char text[DEBUG_TEXT_CHARS];
    uint32_t length = user_holds(from, 1) ? user_copy_text(text, (const char *)from, sizeof text) : MAXDWORD;
    if (length >= sizeof text)
        return thread_error(length == MAXDWORD ? ERROR_NOACCESS : ERROR_INVALID_PARAMETER);
    NKDbgPrintfW("%s", text);
    return TRUE;
}
