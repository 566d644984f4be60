/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The threads IST_TEST and APP_TEST, which answer the interrupt.
 *
 *   IST_TEST: loop { wait for the port's interrupt; raise IST; set event; interrupt done; lower IST }
 *   APP_TEST: loop { wait for event; raise APP; lower APP }
 *
 * The interrupt reaches the thread in the system's usual way for devices. The event is the one of the probe's port.
 */
#include "bench.h"

#include "../../../probe/port/port.h"

enum { ANY_CPU = -1 };

static struct respond_plan plan;
static struct port_event interrupted;

static void thread_settle(unsigned priority)
{
    const char *refusal = port_thread_settle(ANY_CPU);
    if (!refusal)
        refusal = port_thread_realtime(priority, PORT_FIFO);
    if (refusal)
        boot_fail("thread", refusal);
}

static void app_test(void *unused)
{
    (void)unused;
    thread_settle(plan.app_priority);
    for (;;) {
        port_event_wait(&interrupted, PORT_FOREVER);
        line_raise(LINE_APP);
        line_lower(LINE_APP);
    }
}

static void ist_test(void *unused)
{
    (void)unused;
    thread_settle(plan.ist_priority);
    const char *refusal = interrupt_open();
    if (refusal)
        boot_fail("interrupt", refusal);
    for (;;) {
        if (!interrupt_wait())
            continue;
        line_raise(LINE_IST);
        port_event_set(&interrupted);
        interrupt_done();
        line_lower(LINE_IST);
    }
}

void respond_start(const struct respond_plan *wanted)
{
    plan = *wanted;
    const char *refusal = port_thread_start(app_test, NULL);
    if (!refusal)
        refusal = port_thread_start(ist_test, NULL);
    if (refusal)
        boot_fail("thread", refusal);
}
