// SPDX-License-Identifier: MIT OR Apache-2.0
// SERVE: a call into another thread and back. If the system has such calls, they pass the words; otherwise a wake tells
// the partner to read them. Samples are batches, as for CALL (operation_call.c).
#include "../operation.h"

// A server that returns at once. Its method is the number of values to add up, or SERVE_POINTERS for values behind pointers.
#define SERVE_POINTERS UINT64_MAX
#define SERVE_UNREADABLE UINT64_MAX // instead of the sum: a pointer was not readable

static uint64_t serve_method(const struct operation *of)
{
    return of->place & OPERATION_POINTERS ? SERVE_POINTERS : of->words;
}

static uint64_t serve_words(uint64_t method, const uint64_t *words)
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

// Makes one call. Either the calling thread carries the words over itself, or the partner is woken to handle them and
// the caller waits for the partner's reply.
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

static const char *serve_sample(struct pair *pair, uint64_t *at)
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

static const char *serve_enter(struct pair *pair)
{
    const char *refusal = NULL;

    pair->served = port_server_start(serve_words, &refusal);
    return refusal;
}

static void serve_answer(struct pair *pair)
{
    pair->sum = serve_words(serve_method(pair->of), pair->words);
    if (pair->sum == SERVE_UNREADABLE)
        partner_refuse(pair, "the second process cannot read what a pointer points to (process_vm_readv)");
}

const struct operation_kind OPERATION_SERVE = {
    .needs = OPERATION_NEEDS_PARTNER,
    .sample = serve_sample,
    .enter = serve_enter,
    .answer = serve_answer,
};
