/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See pause.h. A debugger stops the machine as soon as it connects, so the debugger may connect only at that instant.
 */
#include "pause.h"

#include <stdio.h>
#include <stdlib.h>

#include "emulator.h"

static const char *socket_path;
static struct emulator_timer timer;

bool pause_find(void)
{
    return emulator_debugger_find();
}

static void stands(void *processor, uint64_t data)
{
    (void)processor;
    (void)data;
    emulator_pause();
    if (emulator_debugger_serve(socket_path))
        return;
    fprintf(stderr, "instrument: no debugger can connect to %s\n", socket_path);
    _Exit(EXIT_FAILURE);
}

/* A timer's callback cannot stop the machine, because the stop would wait for the timers to finish. */
static void instant_reached(void *opaque)
{
    (void)opaque;
    emulator_work_before(stands);
}

void pause_start(const struct options *options)
{
    socket_path = options->pause_path;
    emulator_timer_prepare(&timer, instant_reached, NULL);
    emulator_timer_arm(&timer, options->trail_from_instructions);
}
