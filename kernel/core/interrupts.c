// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls of interrupt threads: InterruptInitialize, InterruptDone and InterruptDisable.
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"
#include "core/irq_end.h"
#include "core/lines.h"
#include "core/objects.h"
#include "core/waits.h"

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
        irq_mask(irq, LINE_DISABLED, false);
    }
    kernel_leave();
    return refused == ERROR_SUCCESS || thread_error(refused);
}

// A line may request an interrupt as soon as it is unmasked, before the next line is unmasked.
SELDOM static __attribute__((noinline)) void irq_done_rare(struct irq *irq)
{
    if (irq->state & IRQ_MASKS) {
        irq->state |= IRQ_DONE_AT_TICK;
        return;
    }
    for (uint32_t lines = lines_take((unsigned)(irq - irqs)); lines != 0; kernel_pass()) // at most IRQ_LINES rounds
        lines = lines_unmask_first(lines);
    irq_end(irq);
    kernel_switch();
}

void InterruptDone(DWORD sysintr)
{
    if (UNLIKELY(sysintr >= SYSINTR_LIMIT))
        return;
    struct irq *irq = &irqs[sysintr];
    kernel_enter();
    if (LIKELY(irq->state == IRQ_IN_SERVICE))
        irq->state = 0;
    else
        irq_done_rare(irq);
    kernel_leave();
}

SELDOM void InterruptDisable(DWORD sysintr)
{
    if (sysintr >= SYSINTR_LIMIT)
        return;
    kernel_enter();
    struct irq *irq = &irqs[sysintr];
    if (irq->event != NULL) {
        irq_mask(irq, LINE_DISABLED, true);
        irq_mask(irq, LINE_IN_SERVICE, false);
        irq->event->irq = NULL;
        *irq = (struct irq){.state = IRQ_UNCLAIMED};
    }
    kernel_leave();
}
