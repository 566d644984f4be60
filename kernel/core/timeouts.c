// SPDX-License-Identifier: MIT OR Apache-2.0
// A timer wheel: a timeout is in the slot (expiry mod TIMEOUT_SLOTS), so arming and cancelling take constant time for any number
// of sleeping threads. A bit for each used slot finds the next one.
//
// When a slot's time has come, all its timeouts move at once to the list `timeouts_due`, and the kernel answers them
// one by one. The running thread must not wait for the timeouts of lower threads, and an interrupt thread must not wait
// for many timeouts. So the clock thread handles the timeouts that are not urgent. Its priority is that of the highest
// thread that may be due. Each slot stores this priority, so the timeouts need not be searched.
//
//     A runs; B and C below it time out. The tick makes the clock thread ready at B's priority. A waits; the clock thread
//     answers B and lets B run first. B waits; the clock thread answers C.
#include "core/timeouts.h"

#include "core/block.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/waits.h"

#define SLOT_WORDS (TIMEOUT_SLOTS / 64)

static struct timeout *slots[TIMEOUT_SLOTS];
static uint16_t slot_tops[TIMEOUT_SLOTS]; // no thread in the slot is higher; meaningless while the slot is empty
static uint64_t slot_words[SLOT_WORDS];
static uint64_t slot_summary;
static uint64_t expired_ms; // every timeout up to here is answered, or in `timeouts_due`
struct timeout timeouts_due;
static uint32_t due_top; // no thread in timeouts_due has a higher priority
struct thread clock_thread;

_Static_assert(SLOT_WORDS == 64, "the summary is one word");

SELDOM void timeout_init(void)
{
    for (unsigned i = 0; i < TIMEOUT_SLOTS; i++)
        slots[i] = NULL;
    for (unsigned i = 0; i < SLOT_WORDS; i++)
        slot_words[i] = 0;
    slot_summary = 0;
    timeouts_due.next = timeouts_due.prev = &timeouts_due;
    due_top = PRIORITY_IDLE_THREAD;
    kernel.resched_ms = kernel.now_ms + TIMEOUT_SLOTS;
    expired_ms = kernel.now_ms;
}

static void slot_enter(struct thread *thread)
{
    struct timeout *timeout = &thread->timeout;
    uint32_t slot = (uint32_t)(timeout->expiry_ms % TIMEOUT_SLOTS), priority = thread->link.priority;
    struct timeout *head = slots[slot];
    if (head == NULL) {
        timeout->next = timeout->prev = timeout;
        slots[slot] = timeout;
        slot_tops[slot] = (uint16_t)priority;
        slot_words[slot / 64] |= 1ull << (slot % 64);
        slot_summary |= 1ull << (slot / 64);
    } else {
        timeout->next = head;
        timeout->prev = head->prev;
        head->prev->next = timeout;
        head->prev = timeout;
        if (higher_priority(priority, slot_tops[slot]))
            slot_tops[slot] = (uint16_t)priority;
    }
    if (timeout->expiry_ms < kernel.resched_ms)
        kernel.resched_ms = timeout->expiry_ms;
}

// Sleeping n ends on tick n + 1, because the current tick does not count.
void timeout_arm(struct thread *thread, uint32_t time_ms)
{
    if (UNLIKELY(kernel.clock_stopped))
        clock_resume();
    thread->timeout.expiry_ms = kernel.now_ms + time_ms + 1;
    slot_enter(thread);
}

uint32_t timeout_start(struct thread *thread, uint32_t timeout_ms)
{
    if (timeout_ms == INFINITE)
        return 0;
    timeout_arm(thread, timeout_ms);
    return STATE_SLEEPING;
}

static void slot_unmark(uint32_t slot)
{
    slots[slot] = NULL;
    slot_words[slot / 64] &= ~(1ull << (slot % 64));
    if (slot_words[slot / 64] == 0)
        slot_summary &= ~(1ull << (slot / 64));
}

static void timeout_unlink(struct timeout *timeout)
{
    timeout->next->prev = timeout->prev;
    timeout->prev->next = timeout->next;
}

void timeout_cancel(struct thread *thread)
{
    struct timeout *timeout = &thread->timeout;
    uint32_t slot = (uint32_t)(timeout->expiry_ms % TIMEOUT_SLOTS);
    timeout_unlink(timeout);
    if (slots[slot] != timeout)
        return;
    if (timeout->next != timeout)
        slots[slot] = timeout->next;
    else
        slot_unmark(slot);
}

// While the clock thread has work, it has the priority of the highest thread that may be due.
static void due_raise(uint32_t priority)
{
    if (!higher_priority(priority, due_top))
        return;
    due_top = priority;
    if (!(clock_thread.state & STATE_NOT_READY))
        ready_move(&clock_thread, priority);
}

SELDOM void timeout_raise(const struct thread *thread)
{
    uint32_t slot = (uint32_t)(thread->timeout.expiry_ms % TIMEOUT_SLOTS), priority = thread->link.priority;
    if (higher_priority(priority, slot_tops[slot]))
        slot_tops[slot] = (uint16_t)priority;
    if (timeouts_due.next != &timeouts_due || !(clock_thread.state & STATE_NOT_READY)) // the thread may be due
        due_raise(priority);
}

// Milliseconds from `from_ms` to the first slot in use, 0 to TIMEOUT_SLOTS - 1; TIMEOUT_SLOTS if none is.
static uint32_t slot_distance(uint64_t from_ms)
{
    uint32_t from = (uint32_t)(from_ms % TIMEOUT_SLOTS), w = from / 64;
    uint64_t here = slot_words[w] >> (from % 64);
    if (here != 0)
        return (uint32_t)__builtin_ctzll(here);
    if (slot_summary == 0)
        return TIMEOUT_SLOTS;
    uint64_t later = w == 63 ? 0 : slot_summary >> (w + 1);
    uint32_t word = later != 0 ? w + 1 + (uint32_t)__builtin_ctzll(later) : (uint32_t)__builtin_ctzll(slot_summary);
    uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(slot_words[word]);
    return (slot - from) % TIMEOUT_SLOTS;
}

static void slot_gather(uint32_t slot)
{
    struct timeout *first = slots[slot], *last = first->prev;
    timeouts_due.prev->next = first;
    first->prev = timeouts_due.prev;
    timeouts_due.prev = last;
    last->next = &timeouts_due;
    slot_unmark(slot);
    due_raise(slot_tops[slot]);
}

// After idling, several ticks may have passed at once. The bits of empty slots show which slots to skip. No slot before
// resched_ms has threads.
static void due_gather(void)
{
    uint64_t now_ms = kernel.now_ms, at_ms = kernel.resched_ms;
    for (unsigned i = 0; i <= TIMEOUT_SLOTS && at_ms <= now_ms; i++) {
        uint32_t slot = (uint32_t)(at_ms % TIMEOUT_SLOTS);
        if (slots[slot] != NULL)
            slot_gather(slot);
        at_ms++;
        at_ms += slot_distance(at_ms);
    }
    expired_ms = now_ms;
    kernel.resched_ms = at_ms;
}

// Answers the first due thread; false if there is none. A thread that must wake in a later round of the wheel goes back to its
// slot.
static bool due_answer_one(void)
{
    struct timeout *timeout = timeouts_due.next;
    if (timeout == &timeouts_due) {
        due_top = PRIORITY_IDLE_THREAD;
        return false;
    }
    struct thread *thread = (struct thread *)((char *)timeout - offsetof(struct thread, timeout));
    if (UNLIKELY(timeout->expiry_ms > expired_ms)) {
        timeout_unlink(timeout);
        slot_enter(thread);
        return true;
    }
    if ((thread->state & (STATE_BLOCKED | STATE_MULTIPLE)) == STATE_BLOCKED)
        wait_end(&thread->wait);
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle(); // if threads wait for each other in a ring, the thread's own priority may depend on this step
    thread_unblock(thread, WAIT_TIMEOUT);
    if (UNLIKELY(waits_unsettled != NULL))
        waits_settle();
    return true;
}

bool timeout_answer_one(void)
{
    if (kernel.now_ms >= kernel.resched_ms)
        due_gather();
    return due_answer_one();
}

static void clock_thread_wake(void)
{
    if (!(clock_thread.state & STATE_NOT_READY))
        return;
    clock_thread.state = 0;
    clock_thread.link.priority = due_top;
    ready_add(&clock_thread);
}

// True if the timeouts must be answered now and not by the clock thread: the highest due priority, `top`, is not below
// that of the next thread to run, and no interrupt waits. If calls are not split, the answer is always yes.
static bool due_in_a_hurry(uint32_t top, bool interrupted)
{
    if (!profile.split_calls)
        return true;
    return !interrupted && !gate_has_pending() && !higher_priority(kernel.next->link.priority, top);
}

// If a due slot is not urgent, leaves it to the clock thread without examining it. False if the slot must be examined
// now.
static bool slot_leave(bool interrupted)
{
    uint32_t slot = (uint32_t)(kernel.resched_ms % TIMEOUT_SLOTS);
    if (kernel.now_ms != kernel.resched_ms || slots[slot] == NULL || due_in_a_hurry(slot_tops[slot], interrupted))
        return false;
    due_raise(slot_tops[slot]);
    clock_thread_wake();
    return true;
}

static void due_answer(bool interrupted)
{
    while (timeouts_due.next != &timeouts_due && due_in_a_hurry(due_top, interrupted)) // at most THREADS_MAX rounds
        due_answer_one();
    if (timeouts_due.next != &timeouts_due)
        clock_thread_wake();
    else
        due_top = PRIORITY_IDLE_THREAD;
}

void timeout_expire(bool interrupted)
{
    if (kernel.now_ms >= kernel.resched_ms && !slot_leave(interrupted)) {
        due_gather();
        due_answer(interrupted);
    }
}

static bool quantum_spend(struct thread *thread, uint32_t elapsed_ms)
{
    uint32_t left_ms = thread->quantum_left_ms;
    if (left_ms > elapsed_ms) {
        thread->quantum_left_ms = left_ms - elapsed_ms;
        return false;
    }
    thread->quantum_left_ms = 0;
    return thread->quantum_ms != 0;
}

// A thread whose quantum is used up requests a switch at every tick until it is preempted. The idle thread and threads that run
// to completion have no quantum.
DWORD timeout_tick(uint32_t elapsed_ms)
{
    uint64_t now_ms = kernel.now_ms += elapsed_ms;
    struct thread *thread = kernel.current;
    bool spent = quantum_spend(thread, elapsed_ms);
    return spent || now_ms >= kernel.resched_ms || profile.done_at_tick ? SYSINTR_RESCHED : SYSINTR_NOP;
}

DWORD timeout_pass(uint32_t elapsed_ms)
{
    kernel.now_ms += elapsed_ms;
    return kernel.now_ms >= kernel.resched_ms || profile.done_at_tick ? SYSINTR_RESCHED : SYSINTR_NOP;
}

uint32_t timeout_idle_ms(void)
{
    if (kernel.resched_ms <= kernel.now_ms || profile.done_at_tick)
        return 0; // in this case the kernel needs every tick
    uint64_t left_ms = kernel.resched_ms - kernel.now_ms;
    return left_ms > TIMEOUT_SLOTS ? TIMEOUT_SLOTS : (uint32_t)left_ms;
}
