// SPDX-License-Identifier: MIT OR Apache-2.0
// SPAWN: from before the creation of a thread or process to its first instruction.
#include "handover.h"

static void spawned_run(void *argument)
{
    struct pair *pair = argument;

    pair->at = operation_end(MARK_END);
    port_event_set(&pair->reply);
}

static const char *spawn_sample(struct pair *pair, uint64_t *at)
{
    pair->at = 0;
    handover_sweep(pair);
    at[0] = operation_begin(MARK_BEGIN);
    const char *failure = port_spawn(spawned_run, pair, pair->of->place & OPERATION_ACROSS);

    if (failure)
        return failure;
    failure = partner_reply(pair);
    at[1] = pair->at;
    port_spawn_end();
    return failure;
}

const struct operation_kind OPERATION_SPAWN = {.sample = spawn_sample};
