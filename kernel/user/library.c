// SPDX-License-Identifier: MIT OR Apache-2.0
// The functions of detent.h that are not system calls themselves: handles of the current thread and process, calls with more
// arguments than registers, output by lines.
#include "port.h"
#include "process/calls.h"
#include "user/program.h"

#define CURRENT_THREAD ((HANDLE)65)
#define CURRENT_PROCESS ((HANDLE)66)

HANDLE GetCurrentThread(void)
{
    return CURRENT_THREAD;
}

HANDLE GetCurrentProcess(void)
{
    return CURRENT_PROCESS;
}

extern const char thread_start[]; // defined in stubs.S

HANDLE CreateThread(LPVOID attributes, DWORD stack_bytes, LPTHREAD_START_ROUTINE start, LPVOID argument, DWORD flags,
                    LPDWORD thread_id)
{
    struct thread_to_make thread = {(uint64_t)thread_start, {(uint64_t)start, (uint64_t)argument}, flags, stack_bytes};
    if (attributes != NULL || start == NULL) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    return thread_make(&thread, thread_id);
}

BOOL CreateProcess(LPCTSTR image, LPCTSTR command, LPVOID process_attributes, LPVOID thread_attributes, BOOL inherit,
                   DWORD flags, LPVOID environment, LPCTSTR folder, LPVOID startup, LPPROCESS_INFORMATION information)
{
    if (process_attributes != NULL || thread_attributes != NULL || inherit || environment != NULL || folder != NULL
        || startup != NULL) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    return process_make(image, command, flags, information);
}

HANDLE CreateFileMapping(HANDLE file, LPVOID attributes, DWORD protection, DWORD bytes_high, DWORD bytes_low,
                         LPCTSTR name)
{
    if (file != INVALID_HANDLE_VALUE || attributes != NULL || protection != PAGE_READWRITE) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    return mapping_make(name, (uint64_t)bytes_high << 32 | bytes_low);
}

LPVOID MapViewOfFile(HANDLE mapping, DWORD access, DWORD offset_high, DWORD offset_low, size_t bytes)
{
    if (offset_high != 0 || offset_low != 0 || bytes != 0 || access & ~(FILE_MAP_READ | FILE_MAP_WRITE)
        || access == 0) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    return view_make(mapping, access & FILE_MAP_WRITE);
}

BOOL LockPages(LPVOID address, DWORD bytes, LPDWORD pages, int flags)
{
    if (pages != NULL || (flags != LOCKFLAG_READ && flags != LOCKFLAG_WRITE)) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    return pages_lock(address, bytes, flags == LOCKFLAG_WRITE);
}

BOOL UnlockPages(LPVOID address, DWORD bytes)
{
    return LockPages(address, bytes, NULL, LOCKFLAG_READ);
}

// Reads the counter directly, without a call.
BOOL QueryPerformanceCounter(LARGE_INTEGER *count)
{
    count->QuadPart = (int64_t)counter_now();
    return TRUE;
}

extern const char server_start[]; // defined in stubs.S

BOOL RegisterServer(LPCTSTR name, SERVER_ROUTINE routine)
{
    return server_make(name, (uintptr_t)server_start, routine);
}

// Writes whole lines, so that those of two processes do not mix.
void console_put(char c)
{
    static char line[DEBUG_TEXT_CHARS];
    static uint32_t length;
    line[length++] = c;
    if (c != '\n' && length < sizeof line - 1)
        return;
    line[length] = '\0';
    length = 0;
    debug_text(line);
}
