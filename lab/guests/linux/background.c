/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Background work on the bench: the probe's own loads, each finished unit of which toggles the progress line.
 *
 * After each unit the load offers the processor to threads of its own priority (sched_yield), as a program does that
 * draws through its system; without it SCHED_FIFO would never let an APP_TEST of the same priority run.
 */
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../probe/port/port.h"
#include "../../../probe/probe.h"

static struct plan plan;
static struct load_run run;
static _Atomic unsigned started;
static unsigned load_priority;

bool loadrun_stopped(void)
{
    return false;
}

void loadrun_count(struct load_run *of, uint64_t units)
{
    (void)of;
    (void)units;
    line_toggle(LINE_PROGRESS);
    sched_yield();
}

void loadrun_fail(struct load_run *of, const char *line)
{
    (void)of;
    boot_fail("load", line);
}

void loadrun_warn(struct load_run *of, const char *line)
{
    (void)of;
    printf("bench: load: %s\n", line);
}

static void load_thread(void *unused)
{
    unsigned which = started++;
    (void)unused;
    const char *refusal = load_priority ? port_thread_settle(PROBE_CPU_ANY, load_priority) : NULL;
    if (refusal)
        boot_fail("load", refusal);
    plan.load->run(&run, which);
}

void background_start(const char *name, unsigned priority)
{
    if (strcmp(name, "none") == 0)
        return;
    plan = (struct plan){ .load = tables_load(name), .cpu = PROBE_CPU_ANY, .priority = priority };
    run = (struct load_run){ .plan = &plan };
    load_priority = priority;
    if (!plan.load)
        boot_fail(name, "no such load");
    const char *refusal = plan.load->prepare ? plan.load->prepare(&plan) : NULL;
    for (unsigned i = 0; i < plan.load->threads && !refusal; i++)
        refusal = port_thread_start(load_thread, NULL);
    if (refusal)
        boot_fail(name, refusal);
}
