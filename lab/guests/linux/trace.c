/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Traces the guest's kernel. The trace's clock is the CPU's time stamp counter, which in the lab counts executed instructions, as
 * the instrument does. After the given time, the guest stops tracing, sends the trace as text to the instrument's channel, and
 * ends the run.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "../../../probe/port/port.h"

enum { PATH_BYTES = 128, PIECE_BYTES = 4096, US_PER_MS = 1000 };

#define TRACEFS "/sys/kernel/tracing"

static const char CLOCK[] = "x86-tsc";
/* The first line that the host reads: the trace does not name the counter's unit anywhere else. */
static const char HEAD[] = "# counter: instructions\n";

static const char *const EVENTS[] = {
    "sched/sched_switch",           "sched/sched_waking", "sched/sched_pi_setprio", "irq/irq_handler_entry",
    "irq/irq_handler_exit",         "irq/softirq_entry",  "irq/softirq_exit",       "irq_vectors/local_timer_entry",
    "irq_vectors/local_timer_exit",
};

static unsigned length_ms;

static void set(const char *name, const char *value)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, TRACEFS "/%s", name);
    int file = open(path, O_WRONLY | O_TRUNC);
    if (file < 0 || write(file, value, strlen(value)) < 0)
        boot_fail(path, strerror(errno));
    close(file);
}

static void tell(void)
{
    static char piece[PIECE_BYTES];
    int file = open(TRACEFS "/trace", O_RDONLY);
    ssize_t count;
    if (file < 0)
        boot_fail(TRACEFS "/trace", strerror(errno));
    lines_send(HEAD, sizeof HEAD - 1);
    while ((count = read(file, piece, sizeof piece)) > 0)
        lines_send(piece, (size_t)count);
    close(file);
}

static void watch(void *unused)
{
    (void)unused;
    usleep(length_ms * US_PER_MS);
    set("tracing_on", "0");
    tell();
    lines_end(0);
}

void trace_begin(unsigned milliseconds)
{
    if (mount("tracefs", TRACEFS, "tracefs", 0, NULL) != 0 && errno != EBUSY)
        boot_fail(TRACEFS, strerror(errno));
    set("tracing_on", "0");
    set("trace_clock", CLOCK);
    set("buffer_size_kb", "8192");
    for (size_t i = 0; i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        char name[PATH_BYTES];
        snprintf(name, sizeof name, "events/%s/enable", EVENTS[i]);
        set(name, "1");
    }
    set("tracing_on", "1");
    length_ms = milliseconds;
    const char *refusal = port_thread_start(watch, NULL);
    if (refusal)
        boot_fail("thread", refusal);
}
