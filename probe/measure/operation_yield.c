// SPDX-License-Identifier: MIT OR Apache-2.0
// YIELD: from before a yield to the first instruction of a thread of equal priority after its own earlier yield.
#include "handover.h"

static const char *yield_sample(struct pair *pair, uint64_t *at)
{
    handover_begin(pair);
    port_yield(); // returns when the partner yields
    handover_sweep(pair);
    bool entered = pair->entering;

    at[0] = operation_begin(MARK_BEGIN);
    port_yield();
    at[1] = pair->at;
    const char *failure = partner_reply(pair);

    return handover_judge(pair, failure || (entered && at[1]) ? failure : OPERATION_VOID);
}

static void yield_answer(struct pair *pair)
{
    pair->entering = 1;
    port_yield();
    pair->at = operation_end(MARK_END);
    pair->waited = true;
}

const struct operation_kind OPERATION_YIELD = {
    .needs = OPERATION_NEEDS_PARTNER | OPERATION_NEEDS_EQUAL,
    .sample = yield_sample,
    .answer = yield_answer,
};
