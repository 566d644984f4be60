/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The first process of the Linux guests: boots, starts the load, answers interrupts. Its options stand on the kernel's command line. */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../probe/port/port.h"

/* Virtual time for the kernel's own start-up work to end before the load starts, and for the load before the port is armed. */
enum { SETTLE_SECONDS = 3, LOAD_SETTLE_US = 200000 };

/* All below the interrupt threads of PREEMPT_RT, which have 50: without the port's, nothing would be answered under load. */
enum { MAIN_PRIORITY = 48, IST_PRIORITY = 45, APP_PRIORITY = 40 };

struct arguments {
    const char *load;
    unsigned load_priority; /* 0: an ordinary thread */
    struct respond_plan respond;
    bool names; /* tell the instrument the names of the kernel's functions */
};

static unsigned priority_parse(const char *argument, const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || value > 99)
        boot_fail(argument, "want a priority from 0 to 99");
    return (unsigned)value;
}

/* The kernel hands over words it does not know itself, so ours have a prefix and others are not looked at. */
static void argument_parse(struct arguments *into, const char *word)
{
    static const char PREFIX[] = "bench-";
    if (strncmp(word, PREFIX, strlen(PREFIX)) != 0)
        return;
    const char *argument = word + strlen(PREFIX);
    const char *text = strchr(argument, '=');
    text = text ? text + 1 : "";
    if (strncmp(argument, "load=", 5) == 0)
        into->load = text;
    else if (strncmp(argument, "load-priority=", 14) == 0)
        into->load_priority = priority_parse(word, text);
    else if (strncmp(argument, "ist-priority=", 13) == 0)
        into->respond.ist_priority = priority_parse(word, text);
    else if (strncmp(argument, "app-priority=", 13) == 0)
        into->respond.app_priority = priority_parse(word, text);
    else if (strcmp(argument, "names") == 0)
        into->names = true;
    else
        boot_fail(word, "unknown option; want bench-load, bench-load-priority, bench-ist-priority, bench-app-priority or "
                        "bench-names");
}

int main(int count, char **words)
{
    struct arguments arguments = { .load = "none", .respond = { IST_PRIORITY, APP_PRIORITY } };
    if (!lines_open())
        boot_fail("I/O ports", strerror(errno));
    boot_machine();
    for (int i = 1; i < count; i++)
        argument_parse(&arguments, words[i]);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        boot_fail("locking memory", strerror(errno));
    if (arguments.names)
        names_tell();
    printf("bench: load %s, priority %u\n", arguments.load, arguments.load_priority);
    fflush(stdout);
    sleep(SETTLE_SECONDS);
    /* A load of real-time priority must not keep this thread from what follows. */
    const char *refusal = port_thread_realtime(MAIN_PRIORITY, PORT_FIFO);
    if (refusal)
        boot_fail("main thread", refusal);
    background_start(arguments.load, arguments.load_priority);
    usleep(LOAD_SETTLE_US);
    respond_start(&arguments.respond);
    for (;;)
        pause();
}
