/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The first process of the Linux guests: boots, starts the load and answers interrupts. Its options are on the kernel's command
 * line.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../probe/port/port.h"

/*
 * In virtual time: how long the kernel's start-up work may take before the load starts, and how long the load runs
 * before the port is armed.
 */
enum { SETTLE_SECONDS = 3, LOAD_SETTLE_US = 200000 };

/* The priority is above the loads and below the interrupt threads of PREEMPT_RT, which have 50. */
enum { MAIN_PRIORITY = 48 };

int main(int count, char **words)
{
    struct options options = OPTIONS_USUAL;
    if (!lines_open())
        boot_fail("I/O ports", strerror(errno));
    boot_machine();
#if !defined(__x86_64__) || defined(INPUT_PCI) /* not on a PC: this call would move code and change the edges */
    interrupt_prepare();
#endif
    int operations = 1;
    for (; operations < count && strcmp(words[operations], "osbench") != 0; operations++)
        options_take(&options, words[operations]);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        boot_fail("locking memory", strerror(errno));
    if (options.names)
        names_tell();
    if (options.programs) {
        sleep(SETTLE_SECONDS);
        programs_run();
    }
    if (operations < count) {
        sleep(SETTLE_SECONDS);
        operations_run(count - operations, words + operations);
    }
    printf("bench: load %s\n", options.load);
    fflush(stdout);
    sleep(SETTLE_SECONDS);
    /* A load of real-time priority must not delay this thread. */
    const char *refusal = port_thread_realtime(MAIN_PRIORITY, PORT_FIFO);
    if (refusal)
        boot_fail("main thread", refusal);
    background_start(options.load);
    usleep(LOAD_SETTLE_US);
    if (options.trace_ms)
        trace_begin(options.trace_ms);
    respond_start(&options.respond);
    for (;;)
        pause();
}
