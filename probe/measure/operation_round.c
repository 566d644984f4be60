// SPDX-License-Identifier: MIT OR Apache-2.0
// ROUND: one thread wakes the other, which wakes it back. Each half of the room holds a waker. Samples are batches, as
// for CALL (operation_call.c).
#include "../operation.h"

static void *other_half(struct pair *pair)
{
    return pair->room + PORT_ROOM_BYTES / 2;
}

static const char *round_make(struct pair *pair)
{
    return pair->waker->make(other_half(pair), pair->of->place & OPERATION_ACROSS);
}

static const char *round_sample(struct pair *pair, uint64_t *at)
{
    port_event_set(&pair->go);
    for (uint32_t batch = 0; batch < OPERATION_BATCHES; batch++) {
        at[2 * batch] = operation_begin(MARK_BATCH_BEGIN);
        for (uint32_t times = (batch + 1) * pair->of->batch; times > 0; times--) {
            pair->waker->wake(pair->room);
            pair->waker->wait(other_half(pair));
        }
        at[2 * batch + 1] = operation_end(MARK_BATCH_END);
    }
    // One more round, untimed. After its last round the partner goes on to its reply, so the end of that round is not
    // measured.
    pair->waker->wake(pair->room);
    pair->waker->wait(other_half(pair));
    return partner_reply(pair);
}

static void round_answer(struct pair *pair)
{
    for (uint32_t batch = 1; batch <= OPERATION_BATCHES; batch++) {
        for (uint32_t times = batch * pair->of->batch; times > 0; times--) {
            pair->waker->wait(pair->room);
            pair->waker->wake(other_half(pair));
        }
    }
    pair->waker->wait(pair->room);
    pair->waker->wake(other_half(pair));
}

const struct operation_kind OPERATION_ROUND = {
    .needs = OPERATION_NEEDS_PARTNER | OPERATION_NEEDS_WAKER,
    .make = round_make,
    .sample = round_sample,
    .answer = round_answer,
};
