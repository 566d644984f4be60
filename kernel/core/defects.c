// SPDX-License-Identifier: MIT OR Apache-2.0
// See defects.h. Two defects lose an interrupt whose ISR answers while the kernel sets another interrupt's event:
//
// KB 260302 (CE 2.12): the bitmask of interrupt threads to be scheduled is read, changed and written back with interrupts
// enabled. A bit that was set meanwhile is overwritten: that interrupt is lost.
//
// KB 324866 (CE 3.0 before QFE 020701): the list of pending events is in a variable that is not volatile. An interrupt that was
// added meanwhile is in the list, but the kernel uses the value that it read before and does not set the event. Because the
// interrupt counts as in service, all later ones are held for an InterruptDone that never comes.
#include "core/defects.h"

#include "core/irq.h"
#include "core/profile.h"
#include "port.h"

#define DEVICES_ALL (~((1ull << SYSINTR_DEVICES) - 1))

uint32_t irq_forgotten;

void irq_forget(uint64_t seen)
{
    uintptr_t earlier = interrupts_save();
    uint64_t came = kernel_pending & ~seen & DEVICES_ALL;
    kernel_pending &= ~came;
    interrupts_restore(earlier);
    for (; came != 0; came &= came - 1) { // at most SYSINTR_LIMIT rounds
        irq_forgotten++;
        if (profile.list_defect)
            irqs[__builtin_ctzll(came)].state |= IRQ_IN_SERVICE;
    }
}
