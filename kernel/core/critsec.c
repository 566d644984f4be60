// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections: one compare-and-exchange without contention, otherwise a lock of the kernel.
#include "core/critsec.h"

#include "core/call.h"
#include "core/error.h"
#include "core/locks.h"
#include "core/threads.h"
#include "core/wait.h"
#include "core/waits.h"

#define CONTENDED (1ull << 63) // bit in `owner`: threads wait, so the owner must call the kernel to leave

static struct lock locks[CRITICAL_SECTIONS_MAX];
static LPCRITICAL_SECTION sections[CRITICAL_SECTIONS_MAX]; // the section that uses each lock
static struct waiters lock_waiters[CRITICAL_SECTIONS_MAX];
static uint32_t lock_next[CRITICAL_SECTIONS_MAX]; // free list; its last entry is CRITICAL_SECTIONS_MAX
static uint32_t lock_free;

SELDOM void critsec_init(void)
{
    lock_free = CRITICAL_SECTIONS_MAX;
}

SELDOM void critsec_add(uint32_t index, struct queue *queue)
{
    waiters_init(&lock_waiters[index], queue);
    locks[index].waiters = &lock_waiters[index];
    locks[index].owner = NULL;
    locks[index].link.priority = PRIORITY_IDLE_THREAD;
    sections[index] = NULL;
    lock_next[index] = lock_free;
    lock_free = index;
}

void InitializeCriticalSection(LPCRITICAL_SECTION section)
{
    *section = (CRITICAL_SECTION){0};
}

void DeleteCriticalSection(LPCRITICAL_SECTION section)
{
    if (section->owner != 0)
        thread_error(ERROR_BUSY);
}

// There is always a free lock: there are as many locks as threads, and a thread can wait for only one at a time.
static struct lock *section_lock_take(LPCRITICAL_SECTION section, struct thread *owner)
{
    uint32_t index = lock_free;
    lock_free = lock_next[index];
    sections[index] = section;
    section->lock = index;
    section->owner |= CONTENDED;
    locks[index].owner = owner;
    return &locks[index];
}

// NULL if the section's memory does not contain what the kernel wrote there.
static struct lock *section_lock(LPCRITICAL_SECTION section)
{
    uint32_t index = section->lock;
    return index < CRITICAL_SECTIONS_MAX && sections[index] == section ? &locks[index] : NULL;
}

static struct thread *section_owner(LPCRITICAL_SECTION section)
{
    struct thread *owner = thread_find((HANDLE)(section->owner & ~CONTENDED));
    return owner != NULL && !owner->ended ? owner : NULL;
}

// For a section whose owner is another thread, has left the section since the compare-and-exchange, or has ended.
static void section_enter_wait(LPCRITICAL_SECTION section, uintptr_t self)
{
    kernel_enter();
    struct thread *owner = section_owner(section);
    struct lock *lock = section->owner & CONTENDED ? section_lock(section) : NULL;
    if (owner == NULL || (lock == NULL && section->owner & CONTENDED)) {
        bool abandoned = section->owner != 0;
        section->owner = self;
        section->recursion = 0;
        kernel_leave();
        if (abandoned)
            thread_error(ERROR_ABANDONED_WAIT_0);
        return;
    }
    if (lock == NULL)
        lock = section_lock_take(section, owner);
    wait_block_lock(lock, INFINITE); // the thread that leaves makes this thread the owner
}

SELDOM static __attribute__((noinline)) void section_enter_rare(LPCRITICAL_SECTION section, uintptr_t self)
{
    if ((section->owner & ~CONTENDED) == self)
        section->recursion++;
    else
        section_enter_wait(section, self);
}

void EnterCriticalSection(LPCRITICAL_SECTION section)
{
    uintptr_t self = kernel.current->object.handle;
    if (UNLIKELY(!interlocked_claim(&section->owner, 0, self)))
        section_enter_rare(section, self);
}

BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section)
{
    uintptr_t self = kernel.current->object.handle;
    if (interlocked_claim(&section->owner, 0, self))
        return TRUE;
    if ((section->owner & ~CONTENDED) != self)
        return FALSE;
    section->recursion++;
    return TRUE;
}

// Called when the section's lock has passed to `owner`, which waited for it, or to nobody. The lock becomes free when no other
// thread waits.
static void section_follow(LPCRITICAL_SECTION section, struct lock *lock, struct thread *owner)
{
    section->recursion = 0;
    section->owner = owner == NULL ? 0 : owner->object.handle;
    if (waiters_none(lock->waiters)) {
        uint32_t index = (uint32_t)(lock - locks);
        lock->owner = NULL;
        sections[index] = NULL;
        lock_next[index] = lock_free;
        lock_free = index;
    } else {
        section->owner |= CONTENDED;
    }
}

void critsec_abandon(struct lock *lock)
{
    struct thread *owner = lock_take_away(lock, WAIT_OBJECT_0);
    section_follow(sections[lock - locks], lock, owner);
    if (owner != NULL)
        owner->last_error = ERROR_ABANDONED_WAIT_0;
}

SELDOM static __attribute__((noinline)) void section_leave_rare(LPCRITICAL_SECTION section, uintptr_t self)
{
    kernel_enter();
    struct lock *lock = section->owner == (self | CONTENDED) ? section_lock(section) : NULL;
    if (lock != NULL) {
        section_follow(section, lock, lock_hand_over(lock, WAIT_OBJECT_0));
        kernel_switch();
    }
    kernel_leave();
    if (lock == NULL)
        thread_error(ERROR_NOT_OWNER);
}

void LeaveCriticalSection(LPCRITICAL_SECTION section)
{
    uintptr_t self = kernel.current->object.handle;
    if (UNLIKELY(section->recursion != 0)) {
        if ((section->owner & ~CONTENDED) == self)
            section->recursion--;
        else
            thread_error(ERROR_NOT_OWNER);
        return;
    }
    if (UNLIKELY(!interlocked_claim(&section->owner, self, 0)))
        section_leave_rare(section, self);
}
