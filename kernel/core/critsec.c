// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections: one compare-and-exchange while nobody else wants it, the kernel's lock otherwise.
#include "core/critsec.h"

#include "core/fast.h"
#include "core/wait.h"

#define CONTENDED (1ull << 63) // in owner: threads wait, so leaving must enter the kernel

static struct lock locks[CRITICAL_SECTIONS_MAX];
static struct queue lock_queues[CRITICAL_SECTIONS_MAX];
static struct waiters lock_waiters[CRITICAL_SECTIONS_MAX];
static uint32_t lock_next[CRITICAL_SECTIONS_MAX]; // free list; the last one leads to CRITICAL_SECTIONS_MAX
static uint32_t lock_free;

void critsec_init(void)
{
    for (uint32_t i = 0; i < CRITICAL_SECTIONS_MAX; i++) {
        waiters_init(&lock_waiters[i], &lock_queues[i]);
        locks[i].waiters = &lock_waiters[i];
        locks[i].owner = NULL;
        locks[i].link.priority = PRIORITY_IDLE_THREAD;
        lock_next[i] = i + 1;
    }
    lock_free = 0;
}

void InitializeCriticalSection(LPCRITICAL_SECTION section)
{
    kernel_enter();
    section->owner = 0;
    section->recursion = 0;
    section->lock = lock_free;
    if (lock_free == CRITICAL_SECTIONS_MAX)
        panic(__func__, "all CRITICAL_SECTIONS_MAX are in use");
    lock_free = lock_next[lock_free];
    kernel_leave();
}

void DeleteCriticalSection(LPCRITICAL_SECTION section)
{
    ASSERT(section->owner == 0);
    kernel_enter();
    lock_next[section->lock] = lock_free;
    lock_free = section->lock;
    kernel_leave();
}

static void section_enter_owned(LPCRITICAL_SECTION section, uintptr_t self)
{
    if ((section->owner & ~CONTENDED) == self) {
        section->recursion++;
        return;
    }
    kernel_enter();
    uintptr_t owner = section->owner;
    if (owner == 0) { // left since the first look
        section->owner = self;
        kernel_leave();
        return;
    }
    struct lock *lock = &locks[section->lock];
    if (!(owner & CONTENDED)) {
        section->owner = owner | CONTENDED;
        lock->owner = thread_find((HANDLE)owner);
        if (lock->owner == NULL)
            panic(__func__, "the owner of a critical section has ended");
    }
    wait_block_lock(lock, INFINITE); // the one who leaves makes this thread the owner
}

void EnterCriticalSection(LPCRITICAL_SECTION section)
{
    uintptr_t self = kernel.current->object.handle;
    if (UNLIKELY(!interlocked_claim(&section->owner, 0, self)))
        section_enter_owned(section, self);
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

static void section_leave_contended(LPCRITICAL_SECTION section, uintptr_t self)
{
    kernel_enter();
    if (section->owner != (self | CONTENDED))
        panic(__func__, "left by a thread that does not own it");
    struct lock *lock = &locks[section->lock];
    struct wait *wait = waiters_take(lock->waiters);
    struct thread *owner = wait == NULL ? NULL : wait->thread;
    lock_pass(lock, owner);
    section->owner = owner == NULL ? 0 : owner->object.handle;
    if (!waiters_none(lock->waiters))
        section->owner |= CONTENDED;
    else
        lock->owner = NULL;
    if (owner != NULL)
        thread_unblock(owner, WAIT_OBJECT_0);
    ready_switch();
    kernel_leave();
}

void LeaveCriticalSection(LPCRITICAL_SECTION section)
{
    uintptr_t self = kernel.current->object.handle;
    if (UNLIKELY(section->recursion != 0)) {
        section->recursion--;
        return;
    }
    if (UNLIKELY(!interlocked_claim(&section->owner, self, 0)))
        section_leave_contended(section, self);
}
