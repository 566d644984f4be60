// SPDX-License-Identifier: MIT OR Apache-2.0
// Initializes the kernel's parts in order.
#include "core/start.h"

#include "core/clock.h"
#include "core/critsec.h"
#include "core/entries.h"
#include "core/irq_end.h"
#include "core/objects.h"
#include "core/ready.h"
#include "core/timeouts.h"
#include "oem.h"

void kernel_init(void)
{
    ready_init();
    timeout_init();
    thread_init();
    critsec_init();
    object_init();
    irq_init();
    clock_thread_init();
    oem_timer_init();
}
