// SPDX-License-Identifier: MIT OR Apache-2.0
// Entries of the thread table. A thread also needs a stack and other memory. The kernel allocates both when an entry is
// first needed, so a kernel with few threads uses little memory. An entry keeps its memory for the next thread.
#include "core/entries.h"

#include "core/call.h"
#include "core/critsec.h"
#include "core/objects.h"
#include "core/thread.h"

struct thread_memory {
    struct wait waits[WAIT_OBJECTS_MAX];
    struct queue waiters, donations;
    struct queue lock_waiters; // for the lock of a critical section: there is one lock for each thread
};

static uint32_t entries_made;

void thread_init(void)
{
    static struct queue idle_donations;
    for (unsigned i = 0; i < THREADS_MAX; i++)
        threads[i] = (struct thread){.state = STATE_ENDED};
    entries_made = 0;
    queue_reset(&idle_donations);
    idle_thread.donations = &idle_donations;
}

static void entry_fill(struct thread *thread, struct thread_memory *memory)
{
    thread->wait.thread = thread;
    thread->waits = memory->waits;
    for (unsigned i = 0; i < WAIT_OBJECTS_MAX; i++) {
        memory->waits[i].thread = thread;
        memory->waits[i].index = i;
    }
    thread->donations = &memory->donations;
    queue_reset(&memory->donations);
    queue_reset(&memory->waiters);
    queue_reset(&memory->lock_waiters);
}

// Call with the lock on all objects held.
static bool entry_make(uint32_t index)
{
    if (index == THREADS_MAX || !stack_make(index))
        return false;
    struct thread_memory *memory = memory_take(sizeof *memory);
    if (memory == NULL)
        return false;
    entry_fill(&threads[index], memory);
    kernel_enter();
    object_add_thread(index, &memory->waiters);
    critsec_add(index, &memory->lock_waiters);
    kernel_leave();
    return true;
}

bool thread_more(void)
{
    object_lock();
    bool made = entry_make(entries_made);
    entries_made += made;
    object_unlock();
    return made;
}
