// SPDX-License-Identifier: MIT OR Apache-2.0
// Operations that are too short for one reading of the clock: each sample is three batches of n, 2n and 3n of them.
//
// The slope of time over iterations is (third - first) / 2n: what does not grow with the batch, the cost of the clock
// among it, cancels. The division is the host's; here are the counts around each batch.
#include "../operation.h"

const char *batch_sample(struct pair *pair, const struct port_call *call, uint64_t *at)
{
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

uint64_t operation_serve(uint64_t method, const uint64_t *words)
{
    uint64_t count = method == SERVE_POINTERS ? OPERATION_WORDS : method, sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = words[i];

        if (method == SERVE_POINTERS && !port_partner_read(&word, words[i], sizeof word))
            return SERVE_UNREADABLE;
        sum += word;
    }
    return sum;
}

// One call: the words go over with the thread; or the partner is woken for them, and the caller waits for its reply.
static const char *serve_once(struct pair *pair, const uint64_t *words)
{
    if (pair->served) {
        pair->sum = port_server_call(serve_method(pair->of), words);
        return NULL;
    }
    for (uint32_t i = 0; i < pair->of->words; i++)
        pair->words[i] = words[i];
    port_event_set(&pair->go);
    return partner_reply(pair);
}

static const char *serve_judge(const struct pair *pair)
{
    const uint64_t expected = pair->of->words * (pair->of->words + 1) / 2; // 1 + 2 + ... + words

    if (!port_partner_alive())
        return OPERATION_DIED;
    return pair->sum == expected ? NULL
                                 : "the server has read other words than it was given; this is a bug of the probe";
}

const char *serve_sample(struct pair *pair, uint64_t *at)
{
    static const uint64_t VALUES[OPERATION_WORDS] = {1, 2, 3, 4, 5, 6, 7};
    uint64_t words[OPERATION_WORDS];
    const char *failure = NULL;

    for (uint32_t i = 0; i < OPERATION_WORDS; i++)
        words[i] = pair->of->place & OPERATION_POINTERS ? (uint64_t)(uintptr_t)&VALUES[i] : VALUES[i];
    for (uint32_t batch = 0; batch < OPERATION_BATCHES && !failure; batch++) {
        at[2 * batch] = operation_begin(MARK_BATCH_BEGIN);
        for (uint32_t times = (batch + 1) * pair->of->batch; times > 0 && !failure; times--)
            failure = serve_once(pair, words);
        at[2 * batch + 1] = operation_end(MARK_BATCH_END);
    }
    return failure ? failure : serve_judge(pair);
}

static void *other_half(struct pair *pair)
{
    return pair->room + PORT_ROOM_BYTES / 2;
}

void round_answer(struct pair *pair)
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

const char *round_sample(struct pair *pair, uint64_t *at)
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
    // One more that nobody times: behind the last one the partner goes on to its reply, which is no part of a round.
    pair->waker->wake(pair->room);
    pair->waker->wait(other_half(pair));
    return partner_reply(pair);
}

// The interlocked operations are the language's own, the same on every system.

static void increment_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;

    while (times-- > 0)
        atomic_fetch_add(word, 1);
}

static void decrement_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;

    while (times-- > 0)
        atomic_fetch_sub(word, 1);
}

static void exchange_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;

    while (times-- > 0)
        atomic_exchange(word, times);
}

static void test_exchange_repeat(void *room, uint32_t times)
{
    _Atomic uint32_t *word = room;
    uint32_t expected = 0;

    while (times-- > 0)
        atomic_compare_exchange_strong(word, &expected, times);
}

static const struct port_call CALLS[] = {
    {.name = "increment", .repeat = increment_repeat},
    {.name = "decrement", .repeat = decrement_repeat},
    {.name = "exchange", .repeat = exchange_repeat},
    {.name = "test-exchange", .repeat = test_exchange_repeat},
};

const struct port_call *operation_call(const char *name)
{
    for (uint32_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        if (operation_is_named(CALLS[i].name, name))
            return &CALLS[i];
    }
    return port_call(name);
}
