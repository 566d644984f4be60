// SPDX-License-Identifier: MIT OR Apache-2.0
// From an ISR's answer to its thread: each SYSINTR has one event and is in service until InterruptDone.
#include "core/irq.h"

#include "core/defects.h"
#include "core/fast.h"
#include "core/lines.h"
#include "core/turn.h"

struct irq irqs[SYSINTR_LIMIT];
volatile uint32_t irq_unclaimed;

SELDOM void irq_init(void)
{
    for (unsigned i = 0; i < SYSINTR_LIMIT; i++)
        irqs[i] = (struct irq){.state = IRQ_UNCLAIMED};
    irq_unclaimed = 0;
}

static void line_of_mask(const struct irq *irq, enum line_mask why, bool masked)
{
    int line = sysintr_line((unsigned)(irq - irqs));
    if (line >= 0)
        line_mask((unsigned)line, why, masked);
}

// One more during service is kept and delivered by InterruptDone; those beyond it are only counted.
SELDOM static __attribute__((noinline)) void irq_deliver_rare(struct irq *irq)
{
    if (irq->state & IRQ_UNCLAIMED) {
        irq_unclaimed++;
        return;
    }
    if (irq->state & IRQ_IN_SERVICE) {
        irq->coalesced += (irq->state & IRQ_HELD) != 0;
        irq->state |= IRQ_HELD;
        return;
    }
    uint64_t seen = kernel_pending;
    irq->state |= IRQ_IN_SERVICE;
    if (irq->state & IRQ_MASKS)
        line_of_mask(irq, LINE_IN_SERVICE, true);
    event_signal(irq->event);
    if (irq->state & IRQ_ROTATES)
        turn_end_by_interrupt();
    if (irq->state & IRQ_FORGETS)
        irq_forget(seen);
}

static inline void irq_deliver(struct irq *irq)
{
    if (UNLIKELY(irq->state != 0)) {
        irq_deliver_rare(irq);
        return;
    }
    irq->state = IRQ_IN_SERVICE;
    event_signal(irq->event);
}

// Returns what has come meanwhile.
static inline __attribute__((always_inline)) uint64_t irq_system(unsigned sysintr, bool more)
{
    if (sysintr == PENDING_CLOCK_STOPPED) {
        clock_resume_soon();
    } else if (sysintr == SYSINTR_RESCHED) {
        timeout_expire(more);
        return profile.split_calls && gate_has_pending() ? pending_take() : 0;
    } else {
        irq_unclaimed++;
    }
    return 0;
}

void irq_signal(uint64_t pending)
{
    while (pending != 0) { // at most SYSINTR_LIMIT
        unsigned sysintr = (unsigned)__builtin_ctzll(pending);
        pending &= pending - 1;
        if (LIKELY(sysintr >= SYSINTR_DEVICES))
            irq_deliver(&irqs[sysintr]);
        else
            pending |= irq_system(sysintr, pending != 0);
    }
}

static uint32_t irq_state_at_first(void)
{
    return (profile.new_thread_quantum_defect ? IRQ_ROTATES : 0u) | (profile.done_at_tick ? IRQ_MASKS : 0u)
           | (profile.bitmask_defect || profile.list_defect ? IRQ_FORGETS : 0u) | (lines_level != 0 ? IRQ_LEVEL : 0u);
}

SELDOM BOOL InterruptInitialize(DWORD sysintr, HANDLE handle, LPVOID data, DWORD data_bytes)
{
    (void)data, (void)data_bytes;
    if (sysintr < SYSINTR_DEVICES || sysintr >= SYSINTR_LIMIT || HANDLE_KIND(handle) != KIND_EVENT)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    struct irq *irq = &irqs[sysintr];
    struct event *event = (struct event *)object_find(handle);
    DWORD refused = event == NULL ? ERROR_INVALID_HANDLE
                    : event->state.waited || event_is_manual(event) || event->irq != NULL || irq->event != NULL
                        ? ERROR_INVALID_PARAMETER
                        : ERROR_SUCCESS;
    if (refused == ERROR_SUCCESS) {
        event->irq = irq;
        *irq = (struct irq){.event = event, .state = irq_state_at_first()};
        line_of_mask(irq, LINE_DISABLED, false);
    }
    kernel_leave();
    return refused == ERROR_SUCCESS || thread_error(refused);
}

SELDOM static void irq_done_rare(struct irq *irq)
{
    if (irq->state & IRQ_MASKS)
        line_of_mask(irq, LINE_IN_SERVICE, false);
    lines_done((unsigned)(irq - irqs));
    if (irq->state & IRQ_HELD) {
        irq->state = (irq->state & IRQ_PROFILE) | IRQ_IN_SERVICE;
        event_signal(irq->event);
    } else {
        irq->state &= IRQ_PROFILE | IRQ_UNCLAIMED;
    }
}

SELDOM void irq_tick(void)
{
    if (!profile.done_at_tick)
        return;
    for (unsigned i = SYSINTR_DEVICES; i < SYSINTR_LIMIT; i++)
        if (irqs[i].state & IRQ_DONE_AT_TICK)
            irq_done_rare(&irqs[i]);
}

void InterruptDone(DWORD sysintr)
{
    if (UNLIKELY(sysintr >= SYSINTR_LIMIT))
        return;
    struct irq *irq = &irqs[sysintr];
    kernel_enter();
    if (LIKELY(irq->state == IRQ_IN_SERVICE)) {
        irq->state = 0;
    } else if (irq->state & IRQ_MASKS) {
        irq->state |= IRQ_DONE_AT_TICK;
    } else {
        irq_done_rare(irq);
        kernel_switch();
    }
    kernel_leave();
}

SELDOM void InterruptDisable(DWORD sysintr)
{
    if (sysintr >= SYSINTR_LIMIT)
        return;
    kernel_enter();
    struct irq *irq = &irqs[sysintr];
    if (irq->event != NULL) {
        line_of_mask(irq, LINE_DISABLED, true);
        line_of_mask(irq, LINE_IN_SERVICE, false);
        irq->event->irq = NULL;
        *irq = (struct irq){.state = IRQ_UNCLAIMED};
    }
    kernel_leave();
}
