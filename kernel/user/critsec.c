// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections in user mode: a mutex of the kernel's, made by the first who enters. So each enter and leave is a call, and
// priorities are inherited.
#include "user/program.h"

// The mutex's handle is in lock; 32 bits hold it.
static HANDLE section_mutex(LPCRITICAL_SECTION section)
{
    uint32_t none = 0;
    if (__atomic_load_n(&section->lock, __ATOMIC_RELAXED) == 0) {
        HANDLE made = CreateMutex(NULL, FALSE, NULL);
        if (!__atomic_compare_exchange_n(&section->lock, &none, (uint32_t)(uintptr_t)made, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            CloseHandle(made); // somebody came first
    }
    return (HANDLE)(uintptr_t)section->lock;
}

void InitializeCriticalSection(LPCRITICAL_SECTION section)
{
    *section = (CRITICAL_SECTION){0};
}

void DeleteCriticalSection(LPCRITICAL_SECTION section)
{
    if (section->lock != 0 && CloseHandle((HANDLE)(uintptr_t)section->lock))
        section->lock = 0;
}

void EnterCriticalSection(LPCRITICAL_SECTION section)
{
    if (WaitForSingleObject(section_mutex(section), INFINITE) == WAIT_ABANDONED)
        SetLastError(ERROR_ABANDONED_WAIT_0);
}

BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section)
{
    return WaitForSingleObject(section_mutex(section), 0) != WAIT_TIMEOUT;
}

void LeaveCriticalSection(LPCRITICAL_SECTION section)
{
    ReleaseMutex((HANDLE)(uintptr_t)section->lock);
}
