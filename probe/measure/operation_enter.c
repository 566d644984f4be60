// SPDX-License-Identifier: MIT OR Apache-2.0
// ENTER: the time from just before the higher thread's wait, which blocks, to the lower thread's first instruction
// after its own wait.
#include "handover.h"

static const char *enter_sample(struct pair *pair, uint64_t *at)
{
    handover_begin(pair);
    at[1] = operation_end(MARK_END);
    at[0] = pair->before;
    handover_sweep(pair);
    bool entered = pair->entering;

    pair->waker->wake(pair->room);
    const char *failure = partner_reply(pair);

    return handover_judge(pair, failure || entered ? failure : OPERATION_VOID);
}

static void enter_answer(struct pair *pair)
{
    uint64_t waits = port_thread_waits();

    pair->before = operation_begin(MARK_BEGIN);
    pair->entering = 1;
    pair->waker->wait(pair->room);
    pair->at = port_clock_read();
    pair->waited = waits == UINT64_MAX || port_thread_waits() != waits;
    if (pair->waker->leave)
        pair->waker->leave(pair->room);
}

const struct operation_kind OPERATION_ENTER = {
    .needs = OPERATION_NEEDS_PARTNER | OPERATION_NEEDS_WAKER,
    .sample = enter_sample,
    .answer = enter_answer,
};
