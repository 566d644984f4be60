// SPDX-License-Identifier: MIT OR Apache-2.0
// See invariants.h. Each function checks some invariants and returns the first one that does not hold.
#include "test/invariants.h"

#include "core/event.h"
#include "core/lock.h"
#include "core/locks.h"
#include "core/mutex.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/semaphore.h"
#include "core/thread.h"
#include "core/timeouts.h"
#include "core/waits.h"

#define HOLDS(condition, sentence) \
    do { \
        if (!(condition)) \
            return sentence; \
    } while (0)

#define LINKS_MAX (THREADS_MAX * (WAIT_OBJECTS_MAX + 1)) // most links in one queue
#define EMPTY_LOOKED_THROUGH 64

// False for a thread that is being created: its entry is taken and nothing else is set.
static bool in_use(const struct thread *thread)
{
    return !object_is_free(&thread->object) && !(thread->state & STATE_ENDED) && thread->stack_pointer != NULL;
}

static bool is_ready(const struct thread *thread)
{
    return in_use(thread) && !(thread->state & STATE_NOT_READY);
}

// ---- queues ----

// How often the link is in the list of its priority; LINKS_MAX if the list does not end.
static unsigned link_count(const struct queue *queue, const struct link *link)
{
    const struct link *head = queue->heads[link->priority];
    unsigned found = 0, seen = 0;
    for (const struct link *at = head; at != NULL; at = at->next == head ? NULL : at->next) {
        found += at == link;
        if (++seen >= LINKS_MAX)
            return LINKS_MAX;
    }
    return found;
}

// Checks empty queues completely only now and then: there are many, and the check is slow.
static const char *queue_broken(const struct queue *queue)
{
    static unsigned turn;
    if (queue_is_empty(queue) && ++turn % EMPTY_LOOKED_THROUGH != 0)
        return NULL;
    for (unsigned p = 0; p < PRIORITY_LEVELS; p++) {
        const struct link *head = queue->heads[p];
        HOLDS((queue->words[p / 64] >> p % 64 & 1) == (head != NULL), "a queue's bit says whether its list is empty");
        unsigned seen = 0;
        for (const struct link *at = head; at != NULL; at = at->next == head ? NULL : at->next) {
            HOLDS(at->priority == p, "a link stands in the list of its priority");
            HOLDS(at->next->prev == at, "a list's links point at each other");
            HOLDS(++seen < LINKS_MAX, "a list ends");
        }
    }
    for (unsigned w = 0; w < PRIORITY_WORDS; w++)
        HOLDS((queue->summary >> w & 1) == (queue->words[w] != 0), "a queue's summary says which words are empty");
    return NULL;
}

// ---- the running thread ----

static unsigned floats_count(const struct thread *thread)
{
    unsigned found = 0, seen = 0;
    for (const struct thread *at = kernel.floating; at != &idle_thread; at = (const struct thread *)at->link.prev) {
        found += at == thread;
        if (++seen > THREADS_MAX)
            return THREADS_MAX;
    }
    return found;
}

static const char *ready_broken(void)
{
    const char *broken = queue_broken(&kernel.ready);
    HOLDS(broken == NULL, broken);
    for (unsigned p = 0; p < PRIORITY_LEVELS; p++) {
        const struct link *head = kernel.ready.heads[p];
        for (const struct link *at = head; at != NULL; at = at->next == head ? NULL : at->next)
            HOLDS(is_ready((const struct thread *)at), "who stands in the ready queue is ready");
    }
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        const struct thread *thread = &threads[i];
        if (is_ready(thread))
            HOLDS(link_count(&kernel.ready, &thread->link) + floats_count(thread) == 1,
                  "a ready thread stands in the ready queue once, or floats");
    }
    return NULL;
}

static const char *floating_broken(void)
{
    const struct thread *above = NULL;
    for (const struct thread *at = kernel.floating; at != &idle_thread; at = (const struct thread *)at->link.prev) {
        HOLDS(is_ready(at), "who floats is ready");
        HOLDS(at->link.next == &at->link, "who floats points at itself");
        HOLDS(above == NULL || at->above == above, "who floats knows who stands above it");
        HOLDS(above == NULL || higher_priority(above->link.priority, at->link.priority),
              "who floats is higher than who floats below it");
        above = at;
    }
    return NULL;
}

static const char *next_broken(void)
{
    const struct thread *next = kernel.next, *floating = kernel.floating;
    uint32_t top = queue_top_priority(&kernel.ready);
    HOLDS(kernel.current == next, "who should run runs when the gate is opened");
    HOLDS(next == &idle_thread || is_ready(next), "who runs is ready");
    HOLDS(kernel.top == &kernel.ready.heads[top], "the highest list that is not empty is known");
    if (higher_priority(top, floating->link.priority))
        HOLDS(&next->link == queue_top(&kernel.ready), "the first of the highest priority runs");
    else
        HOLDS(next == floating, "who floats comes before its equals in the queue");
    return floating_broken();
}

// ---- waiting threads ----

static bool stands_among(const struct wait *wait, const struct waiters *waiters)
{
    return waiters->sole == WAITERS_QUEUED ? link_count(waiters->queue, &wait->link) == 1 : waiters->sole == wait;
}

static const char *place_broken(const struct wait *wait, const struct thread *thread)
{
    HOLDS(wait->thread == thread, "a place is its thread's");
    HOLDS(stands_among(wait, wait->waiters), "who waits stands among the waiters of what it waits for");
    if (wait->waiters->sole == WAITERS_QUEUED && thread->state & STATE_WAIT_OPEN && !thread->unsettled)
        HOLDS(wait->link.priority == thread->link.priority, "a waiter stands at its thread's priority");
    return NULL;
}

// A single wait that has ended leaves its `waiters` pointer unchanged, so the pointer counts only while the thread is blocked.
static const char *waits_broken(const struct thread *thread)
{
    unsigned taken = 0;
    if (!(thread->state & STATE_MULTIPLE)) {
        if (!(thread->state & STATE_BLOCKED))
            return NULL;
        HOLDS(thread->wait.waiters != NULL, "a blocked thread waits for something");
        return place_broken(&thread->wait, thread);
    }
    for (unsigned i = 0; i < thread->wait_count; i++) {
        const struct wait *wait = &thread->waits[i];
        const char *broken = wait->waiters != NULL ? place_broken(wait, thread) : NULL;
        HOLDS(broken == NULL, broken);
        taken += wait->waiters != NULL;
    }
    HOLDS(taken > 0 || !(thread->state & STATE_BLOCKED), "a thread blocked by several has a place among their waiters");
    return NULL;
}

static const char *waiters_broken(const struct waiters *waiters)
{
    if (waiters->sole == NULL)
        return NULL;
    if (waiters->sole != WAITERS_QUEUED)
        return waiters->sole->waiters == waiters ? NULL : "a sole waiter's place says what it waits for";
    const char *broken = queue_broken(waiters->queue);
    HOLDS(broken == NULL, broken);
    HOLDS(!queue_is_empty(waiters->queue), "waiters that stand in a queue are there");
    for (unsigned p = 0; p < PRIORITY_LEVELS; p++) {
        const struct link *head = waiters->queue->heads[p];
        for (const struct link *at = head; at != NULL; at = at->next == head ? NULL : at->next)
            HOLDS(((const struct wait *)at)->waiters == waiters, "a waiter's place says what it waits for");
    }
    return NULL;
}

static const char *timeout_broken(const struct thread *thread)
{
    const struct timeout *timeout = &thread->timeout;
    if (thread->state & STATE_SLEEPING)
        HOLDS(timeout->next->prev == timeout && timeout->prev->next == timeout, "who sleeps has a timeout");
    return NULL;
}

// A tick that the kernel has not processed yet is still pending.
static const char *due_broken(void)
{
    bool due = timeouts_due.next != &timeouts_due;
    for (unsigned i = 0; i < THREADS_MAX; i++)
        due |=
            in_use(&threads[i]) && threads[i].state & STATE_SLEEPING && threads[i].timeout.expiry_ms <= kernel.now_ms;
    HOLDS(!due || !(clock_thread.state & STATE_NOT_READY) || kernel_pending >> SYSINTR_RESCHED & 1,
          "the clock's thread is ready while somebody is due");
    return NULL;
}

// ---- priority inheritance ----

// One level only: an owner that is itself blocked passes on a loss of priority, but not a gain.
static const char *lock_broken(const struct lock *lock)
{
    uint32_t donated = lock->link.priority, top = waiters_top_priority(lock->waiters);
    if (lock->owner == NULL)
        return NULL;
    HOLDS((donated == PRIORITY_IDLE_THREAD) == (top == PRIORITY_IDLE_THREAD),
          "there is a donation where somebody waits, and no other");
    HOLDS(donated == PRIORITY_IDLE_THREAD || link_count(lock->owner->donations, &lock->link) == 1,
          "a donation stands among its owner's");
    if (waits_unsettled != NULL)
        return NULL; // the other places of a wait for several objects follow later
    HOLDS(!higher_priority(donated, top), "no donation is higher than who waits");
    HOLDS(donated == top || !profile.inheritance_chain, "with whole chains a donation is as high as who waits");
    return NULL;
}

static const char *donations_broken(const struct thread *thread)
{
    const char *broken = queue_broken(thread->donations);
    HOLDS(broken == NULL, broken);
    for (unsigned p = 0; p < PRIORITY_LEVELS; p++) {
        const struct link *head = thread->donations->heads[p];
        for (const struct link *at = head; at != NULL; at = at->next == head ? NULL : at->next) {
            const struct lock *lock = (const struct lock *)at;
            HOLDS(lock->owner == thread, "a donation is to the owner of its lock");
            broken = lock_broken(lock);
            HOLDS(broken == NULL, broken);
        }
    }
    HOLDS(thread->broadcasting != NULL || thread->follows || thread->link.priority == thread_due_priority(thread),
          "a thread has its own priority or the highest that it inherits");
    return NULL;
}

static const char *thread_broken(const struct thread *thread)
{
    const char *broken = waits_broken(thread);
    if (broken == NULL)
        broken = timeout_broken(thread);
    if (broken == NULL)
        broken = donations_broken(thread);
    if (broken == NULL && (thread->suspend_count > 0) != ((thread->state & STATE_SUSPENDED) != 0))
        broken = "a thread is suspended while its count is not 0";
    return broken;
}

// ---- all ----

static const char *objects_broken(void)
{
    const char *broken = NULL;
    for (unsigned i = 0; i < EVENTS_MAX && broken == NULL; i++)
        if (!object_is_free(&events[i].object))
            broken = waiters_broken(&events[i].object.waiters);
    for (unsigned i = 0; i < SEMAPHORES_MAX && broken == NULL; i++)
        if (!object_is_free(&semaphores[i].object))
            broken = waiters_broken(&semaphores[i].object.waiters);
    for (unsigned i = 0; i < MUTEXES_MAX && broken == NULL; i++)
        if (!object_is_free(&mutexes[i].object) && mutexes[i].lock.waiters != NULL) {
            broken = waiters_broken(&mutexes[i].object.waiters);
            if (broken == NULL)
                broken = lock_broken(&mutexes[i].lock);
        }
    return broken;
}

const char *invariants_broken(void)
{
    const char *broken = ready_broken();
    if (broken == NULL)
        broken = next_broken();
    if (broken == NULL)
        broken = due_broken();
    for (unsigned i = 0; i < THREADS_MAX && broken == NULL; i++)
        if (in_use(&threads[i]))
            broken = thread_broken(&threads[i]);
    return broken != NULL ? broken : objects_broken();
}

static bool somebody_waits(const struct waiters *waiters)
{
    return waiters->sole != NULL && waiters_top_priority(waiters) != PRIORITY_IDLE_THREAD;
}

const char *invariants_broken_at_rest(void)
{
    for (unsigned i = 0; i < EVENTS_MAX; i++)
        HOLDS(object_is_free(&events[i].object) || !events[i].state.signalled
                  || !somebody_waits(&events[i].object.waiters),
              "nobody waits for an event that is set");
    for (unsigned i = 0; i < SEMAPHORES_MAX; i++)
        HOLDS(object_is_free(&semaphores[i].object) || semaphores[i].count == 0
                  || !somebody_waits(&semaphores[i].object.waiters),
              "nobody waits for a semaphore that has counts");
    for (unsigned i = 0; i < MUTEXES_MAX; i++)
        HOLDS(object_is_free(&mutexes[i].object) || mutexes[i].lock.owner != NULL
                  || !somebody_waits(&mutexes[i].object.waiters),
              "nobody waits for a mutex that is free");
    for (unsigned i = 0; i < THREADS_MAX; i++)
        HOLDS(!threads[i].ended || !somebody_waits(&threads[i].object.waiters),
              "nobody waits for a thread that has ended");
    return invariants_broken();
}
