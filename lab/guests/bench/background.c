/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs loads on the bench: the probe's, and those of the guest's system. Each finished unit of work toggles the progress line.
 *
 * After each unit, a load yields to threads of its own priority (thread_yield), like a program that draws through the
 * system's calls. Otherwise a load without a quantum would never let an APP_TEST of the same priority run.
 */
#include "bench.h"

#include <string.h>

#include "../../../probe/load.h"
#include "../../../probe/plan.h"
#include "../../../probe/port/port.h"
#include "../../../probe/tables.h"

enum { LOADS_MAX = 8, TEXT_BYTES = 128 };

/* A running load; its threads take their numbers from `started`. */
struct background {
    struct plan plan;
    struct load_run run;
    _Atomic unsigned started;
};

static struct background backgrounds[LOADS_MAX];

static bool background_stopped(struct load_run *run)
{
    (void)run;
    return false;
}

static void background_count(struct load_run *run, uint64_t units)
{
    (void)run;
    (void)units;
    line_toggle(LINE_PROGRESS);
    thread_yield();
}

static void background_fail(struct load_run *run, const char *line)
{
    boot_fail(run->plan->load->name, line);
}

static void background_warn(struct load_run *run, const char *line)
{
    (void)run;
    port_complain(line);
}

static const struct load_calls BACKGROUND_CALLS = {
    .stopped = background_stopped,
    .count = background_count,
    .fail = background_fail,
    .warn = background_warn,
    .screen = window_open,
};

static void load_thread(void *argument)
{
    struct background *background = argument;
    unsigned which = background->started++;
    unsigned priority = background->plan.priority;
    /* The load's thread has inherited the real-time priority of the thread that started it. */
    const char *refusal = priority ? port_thread_realtime(priority, PORT_FIFO) : thread_ordinary();
    if (refusal)
        boot_fail(background->plan.load->name, refusal);
    background->plan.load->run(&background->run, which);
}

static void load_start(struct background *background, const char *name, unsigned priority)
{
    const struct load *load = system_load(name);
    if (!load)
        load = tables_load(name);
    if (!load)
        boot_fail(name, "no such load");
    background->plan = (struct plan){.load = load, .cpu = PROBE_CPU_ANY, .priority = priority, .framebuffer = true};
    background->run = (struct load_run){&background->plan, &BACKGROUND_CALLS};
    const char *refusal = load->prepare ? load->prepare(&background->run) : NULL;
    for (unsigned i = 0; i < load->threads && !refusal; i++)
        refusal = port_thread_start(load_thread, background);
    if (refusal)
        boot_fail(name, refusal);
}

/* Replaces the first `separator` in `text` by a zero byte; returns the text after it, or NULL. */
static char *split(char *text, char separator)
{
    char *found = strchr(text, separator);
    if (found)
        *found++ = '\0';
    return found;
}

void background_start(const char *loads)
{
    static char copy[TEXT_BYTES];
    unsigned count = 0;
    if (strcmp(loads, "none") == 0)
        return;
    if (strlen(loads) >= sizeof copy)
        boot_fail(loads, "too many loads");
    memcpy(copy, loads, strlen(loads) + 1);
    for (char *name = copy, *rest; name; name = rest) {
        rest = split(name, '+');
        const char *priority = split(name, '@');
        if (count == LOADS_MAX)
            boot_fail(loads, "too many loads");
        load_start(&backgrounds[count++], name, priority ? priority_parse(name, priority) : 0);
    }
}
