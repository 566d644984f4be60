// SPDX-License-Identifier: MIT OR Apache-2.0
// From an ISR's answer to its thread: each SYSINTR has one event and is in service until InterruptDone.
#include "core.h"

struct irq irqs[SYSINTR_LIMIT];
uint32_t irq_unclaimed;

void irq_init(void)
{
    for (unsigned i = 0; i < SYSINTR_LIMIT; i++)
        irqs[i] = (struct irq){0};
    irq_unclaimed = 0;
}

// One more during service is kept and delivered by InterruptDone; those beyond it are only counted.
static void irq_deliver(struct irq *irq)
{
    struct event *event = irq->event;
    if (UNLIKELY(event == NULL)) {
        irq_unclaimed++;
    } else if (UNLIKELY(irq->in_service)) {
        irq->coalesced += irq->held;
        irq->held = true;
    } else {
        irq->in_service = true;
        event_signal(event);
    }
}

static void irq_system(unsigned sysintr)
{
    if (sysintr == SYSINTR_NOP)
        clock_resume_soon();
    else if (sysintr == SYSINTR_RESCHED)
        timeout_expire();
    else
        irq_unclaimed++;
}

void irq_signal(uint64_t pending)
{
    while (pending != 0) { // at most SYSINTR_LIMIT
        unsigned sysintr = (unsigned)__builtin_ctzll(pending);
        pending &= pending - 1;
        if (LIKELY(sysintr >= SYSINTR_DEVICES))
            irq_deliver(&irqs[sysintr]);
        else
            irq_system(sysintr);
    }
}

BOOL InterruptInitialize(DWORD sysintr, HANDLE handle, LPVOID data, DWORD data_bytes)
{
    (void)data, (void)data_bytes;
    if (sysintr < SYSINTR_DEVICES || sysintr >= SYSINTR_LIMIT || HANDLE_KIND(handle) != KIND_EVENT)
        return thread_error(ERROR_INVALID_PARAMETER);
    kernel_enter();
    struct irq *irq = &irqs[sysintr];
    struct event *event = (struct event *)object_find(handle);
    DWORD refused = event == NULL ? ERROR_INVALID_HANDLE
                    : event->waited || event->manual_reset || event->irq != NULL || irq->event != NULL
                        ? ERROR_INVALID_PARAMETER
                        : ERROR_SUCCESS;
    if (refused == ERROR_SUCCESS) {
        event->irq = irq;
        *irq = (struct irq){.event = event};
    }
    kernel_leave();
    return refused == ERROR_SUCCESS || thread_error(refused);
}

void InterruptDone(DWORD sysintr)
{
    if (UNLIKELY(sysintr >= SYSINTR_LIMIT))
        return;
    struct irq *irq = &irqs[sysintr];
    kernel_enter();
    irq->in_service = irq->held;
    if (UNLIKELY(irq->held)) {
        irq->held = false;
        event_signal(irq->event);
        kernel_switch();
    }
    kernel_leave();
}

void InterruptDisable(DWORD sysintr)
{
    if (sysintr >= SYSINTR_LIMIT || irqs[sysintr].event == NULL)
        return;
    kernel_enter();
    irqs[sysintr].event->irq = NULL;
    irqs[sysintr] = (struct irq){0};
    kernel_leave();
}
