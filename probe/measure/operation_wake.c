// SPDX-License-Identifier: MIT OR Apache-2.0
// WAKE: the time from the waking call in one thread to the first instruction of the other thread after its wait.
//
// If both threads have real-time priority on one CPU, the partner already waits when the call that sets `go` returns.
// Otherwise the measured thread sleeps until the partner waits.
#include "handover.h"

#define WAKE_LOOK_NS 20000u // interval between checks whether the partner is about to wait
#define WAKE_REST_NS 50000u // time after that check until the partner certainly waits
#define WAKE_LOOKS 500000u  // ten seconds in total

static bool is_shared_and_prompt(const struct pair *pair)
{
    return !(pair->of->place & (OPERATION_ELSEWHERE | OPERATION_ORDINARY));
}

// Lets the partner run until it waits: at once if its priority is higher, by a yield if it is equal.
static void wake_settle(struct pair *pair)
{
    if (pair->equal && !(pair->of->place & OPERATION_ELSEWHERE))
        port_yield();
    if (is_shared_and_prompt(pair))
        return;
    for (uint32_t looks = 0; !pair->entering && looks < WAKE_LOOKS && !port_stop_asked(); looks++)
        port_sleep_ns(WAKE_LOOK_NS);
    port_sleep_ns(WAKE_REST_NS);
}

static const char *wake_sample(struct pair *pair, uint64_t *at)
{
    handover_begin(pair);
    wake_settle(pair);
    handover_sweep(pair);
    at[0] = operation_begin(MARK_BEGIN);
    pair->waker->wake(pair->room);
    const char *failure = partner_reply(pair);

    at[1] = pair->at;
    return handover_judge(pair, failure);
}

static void wake_answer(struct pair *pair)
{
    uint64_t waits = port_thread_waits();

    pair->entering = 1;
    pair->waker->wait(pair->room);
    pair->at = operation_end(MARK_END);
    pair->waited = waits == UINT64_MAX || port_thread_waits() != waits;
    if (pair->waker->leave)
        pair->waker->leave(pair->room);
}

const struct operation_kind OPERATION_WAKE = {
    .needs = OPERATION_NEEDS_PARTNER | OPERATION_NEEDS_WAKER,
    .sample = wake_sample,
    .answer = wake_answer,
};
