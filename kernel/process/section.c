// SPDX-License-Identifier: MIT OR Apache-2.0
// The kernel's part of processes' critical sections: waiting. user/critsec.c has the other part.
//
// A section's word belongs to the process: 0 while the section is free, otherwise its owner's thread id.
// SECTION_CONTENDED is set once the kernel knows the section, and is set alone while the section passes from one thread
// to the next. Only the word says who owns the section, and each change of it is one instruction. A thread that waits
// for the section waits for one of the kernel's mutexes, which represents the section meanwhile and belongs to the
// section's owner. So the owner inherits priorities, and if the owner ends, the mutex passes to a waiting thread. The
// thread that gets the mutex reads the word again. If the section has not passed to it, it starts over.
//
// The kernel does not trust the word: an owner that is not a thread of this process counts as none, and no other thread is
// raised.
#include "process/section.h"

#include "process/registry.h"
#include "process/threads.h"

#include "process/calls.h"
#include "process/entries.h"
#include "process/handles.h"
#include "process/server.h"
#include "process/user.h"
#include "core/call.h"
#include "core/error.h"
#include "core/mutex.h"
#include "core/ready.h"
#include "core/threads.h"

static uint32_t self(void)
{
    return (uint32_t)kernel.current->object.handle;
}

// The owner that the word names: a thread of this process, or a visitor from another one. Otherwise NULL. Call with the
// lock held.
static const struct process_thread *owner_find(uint32_t word)
{
    HANDLE handle = (HANDLE)(uintptr_t)(word & ~SECTION_CONTENDED);
    const struct process_thread *thread = process_thread_find(handle);
    bool here = thread != NULL && thread->thread == handle && visits_lead_to(thread, process_current);
    return here ? thread : NULL;
}

// The owner of the representation's mutex. 0: the mutex has no owner, so the entry represents no section.
static uint32_t section_owner(const struct section *section)
{
    kernel_enter();
    const struct thread *owner = section->mutex->lock.owner;
    uint32_t handle = owner != NULL ? (uint32_t)owner->object.handle : 0;
    kernel_leave();
    return handle;
}

static void section_release(const struct section *section)
{
    ReleaseMutex((HANDLE)section->mutex->object.handle);
}

static bool section_is_waited_for(const struct section *section)
{
    return !waiters_none(&section->mutex->object.waiters);
}

// The section's representation that `owner` owns. If `owner` is 0, the representation that any thread except the
// running one owns. NULL if there is none.
static struct section *section_find(uint64_t address, uint32_t owner)
{
    struct section *end = process_current->sections + process_current->section_count;
    for (struct section *at = process_current->sections; at < end; at++) {
        uint32_t known = at->address == address ? section_owner(at) : 0;
        if (known != 0 && (owner != 0 ? known == owner : known != self()))
            return at;
    }
    return NULL;
}

// Gives the mutex to that thread, as if the thread had waited for it. False if another thread still owns it.
static bool section_lend(struct section *section, uint64_t address, HANDLE owner)
{
    struct mutex *mutex = section->mutex;
    kernel_enter();
    bool free = mutex->lock.owner == NULL;
    if (free) {
        section->address = address;
        mutex->lock.owner = thread_find(owner);
        mutex->lock.owner->mutexes_owned++;
        mutex->abandoned = false;
    }
    kernel_leave();
    return free;
}

// Adds a representation that is not in use yet. False and an error if that is not possible; otherwise the previous error is kept.
static bool section_make(struct process *process)
{
    DWORD error = GetLastError();
    HANDLE mutex = process->section_count < PROCESS_SECTIONS_MAX ? CreateMutex(NULL, FALSE, NULL) : NULL;
    if (mutex == NULL)
        return thread_error(ERROR_NOT_ENOUGH_MEMORY);
    process->sections[process->section_count++].mutex = mutex_find(mutex);
    SetLastError(error);
    return true;
}

// The section's representation, which is created if there is none. NULL and an error if too many sections have waiting threads.
static struct section *section_stand(uint64_t address, const struct process_thread *owner)
{
    struct section *known = section_find(address, (uint32_t)(uintptr_t)owner->thread);
    if (known != NULL)
        return known;
    for (uint32_t i = 0; i < process_current->section_count || section_make(process_current); i++)
        if (section_lend(&process_current->sections[i], address, owner->thread))
            return &process_current->sections[i];
    return NULL;
}

// Takes a section that has no owner, or whose owner does not exist. Call with the lock held.
static uint64_t section_take_over(uint64_t address, uint32_t word)
{
    uint32_t found = word;
    if (!user_exchange(address, &found, (word & SECTION_CONTENDED) | self()))
        return thread_error(ERROR_NOACCESS);
    if (found != word)
        return SECTION_AGAIN;
    if (word & ~SECTION_CONTENDED)
        thread_error(ERROR_ABANDONED_WAIT_0);
    return SECTION_ENTERED;
}

// The object to wait for, or NULL and the call's result. Call with the lock held.
static struct section *section_join(uint64_t address, uint64_t *result)
{
    uint32_t word = 0;
    if (!user_exchange(address, &word, self()) || (word & ~SECTION_CONTENDED) == self()) {
        *result = thread_error(word == 0 ? ERROR_NOACCESS : ERROR_INVALID_PARAMETER);
        return NULL;
    }
    *result = SECTION_ENTERED;
    if (word == 0)
        return NULL;
    const struct process_thread *owner = owner_find(word);
    struct section *passing = owner == NULL ? section_find(address, 0) : NULL;
    if (owner == NULL && passing == NULL)
        *result = section_take_over(address, word);
    if (owner == NULL)
        return passing;
    uint32_t found = word;
    *result = SECTION_AGAIN;
    if (!user_exchange(address, &found, word | SECTION_CONTENDED) || found != word)
        return NULL;
    *result = 0;
    return section_stand(address, owner);
}

// The running thread has the section's mutex. It owns the section if the mutex came from the previous owner, which has
// left or ended. Call with the lock held.
static bool section_take(uint64_t address, const struct section *section, bool waited_for)
{
    uint32_t word = SECTION_CONTENDED, own = self() | (waited_for ? SECTION_CONTENDED : 0);
    if (section->address != address || !user_exchange(address, &word, own))
        return false;
    uint32_t found = word;
    return word == SECTION_CONTENDED
           || (word & SECTION_CONTENDED && owner_find(word) == NULL && user_exchange(address, &found, own)
               && found == word);
}

uint64_t call_section_enter(uint64_t address)
{
    uint64_t result;
    process_lock();
    struct section *section = section_join(address, &result);
    process_unlock();
    if (section == NULL)
        return result;
    HANDLE mutex = (HANDLE)section->mutex->object.handle;
    bool abandoned = WaitForSingleObject(mutex, INFINITE) == WAIT_ABANDONED;
    process_lock();
    bool waited_for = section_is_waited_for(section), taken = section_take(address, section, waited_for);
    process_unlock();
    if (!taken || !waited_for)
        section_release(section);
    if (taken && abandoned)
        thread_error(ERROR_ABANDONED_WAIT_0);
    return taken ? SECTION_ENTERED : SECTION_AGAIN;
}

// Passes the section to the highest waiting thread, or frees it.
uint64_t call_section_leave(uint64_t address)
{
    uint32_t own = self() | SECTION_CONTENDED, found = own;
    process_lock();
    const struct section *section = section_find(address, self());
    bool waited_for = section != NULL && section_is_waited_for(section);
    bool there = user_exchange(address, &found, waited_for ? SECTION_CONTENDED : 0);
    process_unlock();
    if (section != NULL)
        section_release(section);
    return (there && found == own) || thread_error(there ? ERROR_NOT_OWNER : ERROR_NOACCESS);
}

void sections_close(struct process *process)
{
    while (process->section_count > 0)
        object_end((HANDLE)process->sections[--process->section_count].mutex->object.handle);
}
