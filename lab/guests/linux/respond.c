/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * IST_TEST and APP_TEST on Linux.
 *
 *   IST_TEST: loop { wait for the port's interrupt; raise IST; set event; lower IST }
 *   APP_TEST: loop { wait for event; raise APP; lower APP }
 *
 * The interrupt comes through ppdev, as Linux hands a device's interrupt to a program; the event is the probe's
 * (a futex), as on every system that the probe runs on.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/parport.h>
#include <linux/ppdev.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../../../probe/port/port.h"

enum { ANY_CPU = -1 };

static const char PORT_FILE[] = "/dev/parport0";

static struct respond_plan plan;
static struct port_event interrupted;
static int port_file;

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
    struct pollfd port = { .fd = port_file, .events = POLLIN };
    int count;
    (void)unused;
    thread_settle(plan.ist_priority);
    /* Claiming the port sets its interrupt-enable bit. */
    if (ioctl(port_file, PPCLAIM) != 0)
        boot_fail(PORT_FILE, strerror(errno));
    for (;;) {
        if (poll(&port, 1, -1) != 1)
            continue;
        line_raise(LINE_IST);
        port_event_set(&interrupted);
        ioctl(port_file, PPCLRIRQ, &count);
        line_lower(LINE_IST);
    }
}

void respond_start(const struct respond_plan *wanted)
{
    plan = *wanted;
    port_file = open(PORT_FILE, O_RDWR);
    if (port_file < 0)
        boot_fail(PORT_FILE, strerror(errno));
    const char *refusal = port_thread_start(app_test, NULL);
    if (!refusal)
        refusal = port_thread_start(ist_test, NULL);
    if (refusal)
        boot_fail("thread", refusal);
}
