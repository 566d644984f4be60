// SPDX-License-Identifier: MIT OR Apache-2.0
// Timeouts on a wheel: a thread waits in the slot (expiry mod TIMEOUT_SLOTS), so arming and cancelling
// are constant work whatever the number of sleepers. A bit for each slot in use finds the next one.
#include "core/timeout.h"

#include "core/fast.h"
#include "core/irq.h"
#include "core/turn.h"

#define SLOT_WORDS (TIMEOUT_SLOTS / 64)

static struct timeout *slots[TIMEOUT_SLOTS];
static uint64_t slot_words[SLOT_WORDS];
static uint64_t slot_summary;
static uint64_t expired_ms; // every timeout up to here has been answered

_Static_assert(SLOT_WORDS == 64, "the summary is one word");

void timeout_init(void)
{
    for (unsigned i = 0; i < TIMEOUT_SLOTS; i++)
        slots[i] = NULL;
    for (unsigned i = 0; i < SLOT_WORDS; i++)
        slot_words[i] = 0;
    slot_summary = 0;
    kernel.resched_ms = kernel.now_ms + TIMEOUT_SLOTS;
    expired_ms = kernel.now_ms;
}

// Sleeping n ends on tick n + 1: the tick under way does not count.
void timeout_arm(struct thread *thread, uint32_t time_ms)
{
    if (UNLIKELY(kernel.clock_stopped))
        clock_resume();
    struct timeout *timeout = &thread->timeout;
    uint64_t expiry_ms = kernel.now_ms + time_ms + 1;
    uint32_t slot = (uint32_t)(expiry_ms % TIMEOUT_SLOTS);
    struct timeout *head = slots[slot];
    timeout->expiry_ms = expiry_ms;
    if (head == NULL) {
        timeout->next = timeout->prev = timeout;
        slots[slot] = timeout;
        slot_words[slot / 64] |= 1ull << (slot % 64);
        slot_summary |= 1ull << (slot / 64);
    } else {
        timeout->next = head;
        timeout->prev = head->prev;
        head->prev->next = timeout;
        head->prev = timeout;
    }
    if (expiry_ms < kernel.resched_ms)
        kernel.resched_ms = expiry_ms;
}

uint32_t timeout_start(struct thread *thread, uint32_t timeout_ms)
{
    if (timeout_ms == INFINITE)
        return 0;
    timeout_arm(thread, timeout_ms);
    return STATE_SLEEPING;
}

void timeout_cancel(struct thread *thread)
{
    struct timeout *timeout = &thread->timeout;
    uint32_t slot = (uint32_t)(timeout->expiry_ms % TIMEOUT_SLOTS);
    timeout->next->prev = timeout->prev;
    timeout->prev->next = timeout->next;
    if (slots[slot] != timeout)
        return;
    if (timeout->next != timeout) {
        slots[slot] = timeout->next;
        return;
    }
    slots[slot] = NULL;
    slot_words[slot / 64] &= ~(1ull << (slot % 64));
    if (slot_words[slot / 64] == 0)
        slot_summary &= ~(1ull << (slot / 64));
}

// Milliseconds from `from` to the first slot in use, 0 to TIMEOUT_SLOTS - 1; TIMEOUT_SLOTS when none is.
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

// Answers one timeout that is due in a slot; false when there is none. The slot may hold threads of
// later rounds of the wheel, which stay.
static bool slot_expire_one(uint64_t at_ms)
{
    struct timeout *first = slots[at_ms % TIMEOUT_SLOTS], *timeout = first;
    for (unsigned i = 0; i < THREADS_MAX && timeout != NULL; i++) {
        if (timeout->expiry_ms <= at_ms) {
            struct thread *thread = (struct thread *)((char *)timeout - offsetof(struct thread, timeout));
            if ((thread->state & (STATE_BLOCKED | STATE_MULTIPLE)) == STATE_BLOCKED)
                wait_end(&thread->wait);
            if (UNLIKELY(waits_unsettled != NULL))
                waits_settle(); // the thread itself may lose by it, before it is ready
            thread_unblock(thread, WAIT_TIMEOUT);
            return true;
        }
        timeout = timeout->next;
        if (timeout == first)
            break;
    }
    return false;
}

// A stretch of ticks may have gone by at once (idling); each is answered in order, and slots without
// threads are skipped by their bits.
void timeout_expire(void)
{
    uint64_t now_ms = kernel.now_ms;
    if (now_ms >= kernel.resched_ms) {
        uint64_t at_ms = expired_ms + 1;
        for (unsigned i = 0; i <= TIMEOUT_SLOTS; i++) {
            at_ms += slot_distance(at_ms);
            if (at_ms > now_ms)
                break;
            while (slot_expire_one(at_ms)) // at most THREADS_MAX
                if (UNLIKELY(waits_unsettled != NULL))
                    waits_settle();
            at_ms++;
        }
        expired_ms = now_ms;
        kernel.resched_ms = now_ms + 1 + slot_distance(now_ms + 1);
    }
    irq_tick();
    turn_end_if_used_up();
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

// A thread without remainder asks again at every tick until it is replaced; the idle thread and those
// that run to completion have no quantum.
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
        return 0; // then every tick is needed
    uint64_t left_ms = kernel.resched_ms - kernel.now_ms;
    return left_ms > TIMEOUT_SLOTS ? TIMEOUT_SLOTS : (uint32_t)left_ms;
}

// After an idle stretch the clock has not counted until somebody asks.
DWORD GetTickCount(void)
{
    if (UNLIKELY(kernel.clock_stopped)) {
        kernel_enter();
        clock_resume();
        kernel_leave();
    }
    return (DWORD)kernel.now_ms;
}
