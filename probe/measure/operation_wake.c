// SPDX-License-Identifier: MIT OR Apache-2.0
// Operations that hand the processor from one thread to another: one sample a round.
//
// Each round begins with a go, so that the partner stands in its wait before the clock is read. On one processor with
// real-time priorities it does so when the go returns; otherwise the measured thread sleeps until it does.
#include "../operation.h"

#include "../caches.h"

#define WAKE_LOOK_NS 20000u // between two looks whether the partner comes to its wait
#define WAKE_REST_NS 50000u // from there into it
#define WAKE_LOOKS 500000u  // ten seconds

const char OPERATION_VOID[] = "it did not take place as it should";

static bool is_shared_and_prompt(const struct pair *pair)
{
    return !(pair->of->place & (OPERATION_ELSEWHERE | OPERATION_ORDINARY));
}

static void wake_begin(struct pair *pair)
{
    pair->entering = 0;
    pair->at = 0;
    if (pair->waker && pair->waker->hold)
        pair->waker->hold(pair->room);
    port_event_set(&pair->go);
}

// Until the partner stands in its wait: at once where it is higher, with a yield where it is equal.
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

static void wake_sweep(const struct pair *pair)
{
    if (pair->of->place & OPERATION_SWEPT)
        caches_sweep();
}

// A partner that found what it waited for, and did not wait, was not woken.
static const char *wake_judge(const struct pair *pair, const char *failure)
{
    if (failure)
        return failure;
    return pair->waited ? NULL : OPERATION_VOID;
}

const char *wake_sample(struct pair *pair, uint64_t *at)
{
    wake_begin(pair);
    wake_settle(pair);
    wake_sweep(pair);
    at[0] = operation_begin(MARK_BEGIN);
    pair->waker->wake(pair->room);
    const char *failure = partner_reply(pair);

    at[1] = pair->at;
    return wake_judge(pair, failure);
}

const char *enter_sample(struct pair *pair, uint64_t *at)
{
    wake_begin(pair);
    at[1] = operation_end(MARK_END);
    at[0] = pair->before;
    wake_sweep(pair);
    bool entered = pair->entering;

    pair->waker->wake(pair->room);
    const char *failure = partner_reply(pair);

    return wake_judge(pair, failure || entered ? failure : OPERATION_VOID);
}

const char *yield_sample(struct pair *pair, uint64_t *at)
{
    wake_begin(pair);
    port_yield(); // until the partner yields
    wake_sweep(pair);
    bool entered = pair->entering;

    at[0] = operation_begin(MARK_BEGIN);
    port_yield();
    at[1] = pair->at;
    const char *failure = partner_reply(pair);

    return wake_judge(pair, failure || (entered && at[1]) ? failure : OPERATION_VOID);
}

static void spawned_run(void *argument)
{
    struct pair *pair = argument;

    pair->at = operation_end(MARK_END);
    port_event_set(&pair->reply);
}

const char *spawn_sample(struct pair *pair, uint64_t *at)
{
    pair->at = 0;
    wake_sweep(pair);
    at[0] = operation_begin(MARK_BEGIN);
    const char *failure = port_spawn(spawned_run, pair, pair->of->place & OPERATION_ACROSS);

    if (failure)
        return failure;
    failure = partner_reply(pair);
    at[1] = pair->at;
    port_spawn_end();
    return failure;
}
