/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Linux's own functions of the bench (bench.h): the interrupt on a PC through ppdev, I/O ports, and scheduling. Other machines
 * have the first two in files of their own. For the PC they must stay in this file: the addresses of these functions determine
 * its edges, which the tests compare byte for byte.
 */
#include "guest.h"

#include <sched.h>
#include <string.h>

#include "../../../probe/load.h"

#if defined(__x86_64__)

#include <sys/io.h>

enum { ALL_PORTS = 3 };

bool ports_permit(void)
{
    return iopl(ALL_PORTS) == 0;
}

#endif

#if defined(__x86_64__) && !defined(INPUT_PCI)

#include <errno.h>
#include <fcntl.h>
#include <linux/parport.h>
#include <linux/ppdev.h>
#include <poll.h>
#include <sys/ioctl.h>

static const char PORT_FILE[] = "/dev/parport0";

static int port_file;

const char *interrupt_open(void)
{
    port_file = open(PORT_FILE, O_RDWR);
    if (port_file < 0)
        return strerror(errno);
    /* Claiming the port sets its interrupt-enable bit. */
    return ioctl(port_file, PPCLAIM) == 0 ? NULL : strerror(errno);
}

bool interrupt_wait(void)
{
    struct pollfd port = {.fd = port_file, .events = POLLIN};
    return poll(&port, 1, -1) == 1;
}

void interrupt_done(void)
{
    int count;
    ioctl(port_file, PPCLRIRQ, &count);
}

#endif

const char *thread_ordinary(void)
{
    struct sched_param ordinary = {0};
    return sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0 ? NULL : "cannot become an ordinary thread";
}

void thread_yield(void)
{
    sched_yield();
}

void timers_run(struct load_run *run, unsigned which);

const struct load *system_load(const char *name)
{
    static const struct load TIMERS = {"timers", "expiries", "200 timers that expire together", 1, 0, NULL, timers_run};
    return strcmp(name, TIMERS.name) == 0 ? &TIMERS : NULL;
}
