// SPDX-License-Identifier: MIT OR Apache-2.0
// CALL: an action that a thread does alone. It is too short for a single clock reading, so each sample consists of
// three batches of n, 2n and 3n calls.
//
// The slope of time over iterations is (third - first) / 2n: costs that do not grow with the batch, such as the
// clock's, cancel out. The host divides; the sample contains the counts around each batch.
#include "../operation.h"

static const char *call_make(struct pair *pair)
{
    return pair->call->make ? pair->call->make(pair->room) : NULL;
}

static const char *call_sample(struct pair *pair, uint64_t *at)
{
    const struct port_call *call = pair->call;

    for (uint32_t batch = 0; batch < OPERATION_BATCHES; batch++) {
        uint32_t times = (batch + 1) * pair->of->batch;

        if (call->ready)
            call->ready(pair->room, times);
        at[2 * batch] = operation_begin(MARK_BATCH_BEGIN);
        call->repeat(pair->room, times);
        at[2 * batch + 1] = operation_end(MARK_BATCH_END);
        if (call->undo)
            call->undo(pair->room, times);
    }
    return NULL;
}

const struct operation_kind OPERATION_CALL = {.needs = OPERATION_NEEDS_CALL, .make = call_make, .sample = call_sample};
