// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections in user mode: one compare-and-exchange without contention, otherwise a call of the kernel
// (process/section.c), so that waiting threads lend their priority. The low half of `owner` is the section's word.
#include "process/calls.h"
#include "process/layout.h"
#include "process/section.h"

#include "limits.h"
#include "user/program.h"

static inline volatile uint32_t *word_of(LPCRITICAL_SECTION section)
{
    return (volatile uint32_t *)&section->owner;
}

// The place on its stack where the running thread stores its id (process/layout.h); 0 until the thread has asked the
// kernel.
static inline uint32_t *id_place(void)
{
    return (uint32_t *)USER_STACK_ID((stack_now() | (USER_STACK_PLACE - 1)) + 1);
}

static uint32_t own_id(void)
{
    uint32_t *place = id_place();
    if (*place == 0)
        *place = GetCurrentThreadId();
    return *place;
}

static inline bool word_claim(LPCRITICAL_SECTION section, uint32_t expected, uint32_t value)
{
    return word_exchange(word_of(section), expected, value);
}

void InitializeCriticalSection(LPCRITICAL_SECTION section)
{
    *section = (CRITICAL_SECTION){0};
}

void DeleteCriticalSection(LPCRITICAL_SECTION section)
{
    if (section->owner != 0)
        SetLastError(ERROR_BUSY);
}

static bool is_own(LPCRITICAL_SECTION section)
{
    return (*word_of(section) & ~SECTION_CONTENDED) == own_id();
}

// Returns with the section entered, unless the kernel refuses with an error. If the kernel has no room for another section with
// waiting threads, the thread retries at the next tick and lends no priority.
static void section_wait(LPCRITICAL_SECTION section)
{
    uint64_t answer;
    while ((answer = section_enter(word_of(section))) != SECTION_ENTERED) {
        if (answer != SECTION_AGAIN && GetLastError() != ERROR_NOT_ENOUGH_MEMORY)
            return;
        if (answer != SECTION_AGAIN)
            SleepTillTick();
    }
    section->recursion = 0;
}

static __attribute__((noinline, cold)) void section_enter_rare(LPCRITICAL_SECTION section)
{
    if (word_claim(section, 0, own_id()))
        return;
    if (is_own(section))
        section->recursion++;
    else
        section_wait(section);
}

void EnterCriticalSection(LPCRITICAL_SECTION section)
{
    uint32_t self = *id_place();
    if (self == 0 || !word_claim(section, 0, self))
        section_enter_rare(section);
}

BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section)
{
    if (word_claim(section, 0, own_id()))
        return TRUE;
    if (!is_own(section))
        return FALSE;
    section->recursion++;
    return TRUE;
}

static __attribute__((noinline, cold)) void section_leave_rare(LPCRITICAL_SECTION section)
{
    if (!is_own(section))
        SetLastError(ERROR_NOT_OWNER);
    else if (section->recursion != 0)
        section->recursion--;
    else if (!word_claim(section, own_id(), 0))
        section_leave(word_of(section));
}

void LeaveCriticalSection(LPCRITICAL_SECTION section)
{
    uint32_t self = *id_place();
    if (section->recursion != 0 || self == 0 || !word_claim(section, self, 0))
        section_leave_rare(section);
}
