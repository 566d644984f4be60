// SPDX-License-Identifier: MIT OR Apache-2.0
// operation: measures one row of the table, as often as requested.
//
// The object and the partner are created before any measured thread starts, because only a process with a single thread
// can fork safely. A round that did not take place as intended counts as lost.
#include "../operation.h"

#include "../caches.h"
#include "../plan.h"

#include "../../wire/wire.h"

#include <string.h>

static struct {
    const struct operation *of;
    struct pair *pair;
    struct series series;
    struct measure measure;
} operation;

static bool operation_needs(const struct operation *of, unsigned need)
{
    return (of->kind->needs & need) != 0;
}

static const char *operation_make(struct pair *pair)
{
    const struct operation *of = pair->of;
    const char *refusal = NULL;

    pair->waker = operation_needs(of, OPERATION_NEEDS_WAKER) ? operation_waker(of->object) : NULL;
    pair->call = operation_needs(of, OPERATION_NEEDS_CALL) ? operation_call(of->object) : NULL;
    if (!operation_is_known(of))
        return "this system has nothing that this operation could be done with";
    if (pair->waker)
        refusal = pair->waker->make(pair->room, of->place & OPERATION_ACROSS);
    return !refusal && of->kind->make ? of->kind->make(pair) : refusal;
}

// Reuses the memory of the previous operation, whose partner has ended. It keeps the two events, because the port may have
// allocated something for them.
static struct pair *operation_pair(void)
{
    struct pair *pair = operation.pair;

    if (!pair)
        return port_memory_shared(sizeof *pair);
    struct port_event go = pair->go, reply = pair->reply;

    memset(pair, 0, sizeof *pair);
    pair->go = go;
    pair->reply = reply;
    return pair;
}

static const char *operation_prepare(const struct plan *plan)
{
    const struct operation *of = operation.of;
    struct pair *pair = operation_pair();

    if (!pair)
        return "no memory for what the two threads of an operation share";
    pair->of = of;
    pair->go.across = pair->reply.across = of->place & OPERATION_ACROSS;
    operation.pair = pair;
    const char *refusal = of->place & OPERATION_SWEPT ? caches_prepare() : NULL;

    if (!refusal && plan->mark)
        refusal = port_mark_open(plan->mark);
    if (!refusal)
        refusal = operation_make(pair);
    if (!refusal && operation_needs(of, OPERATION_NEEDS_PARTNER))
        refusal = port_partner_start(partner_run, pair, of->place & OPERATION_ACROSS);
    return refusal;
}

static void operation_lose(struct measured *measured, uint64_t seq, uint32_t reason)
{
    struct ring_entry entry = {.kind = RING_LOST, .reason = reason, .seq = seq, .at = {1}};

    ring_push(measured->ring, &entry);
}

static const char *operation_settle(const struct measured *measured)
{
    const struct plan *plan = measured->plan;
    const struct operation *of = operation.of;
    unsigned above = operation_needs(of, OPERATION_NEEDS_EQUAL) || plan->equal ? 0 : 1;

    if (!operation_needs(of, OPERATION_NEEDS_PARTNER))
        return NULL;
    operation.pair->equal = plan->equal;
    operation.pair->best_effort = plan->best_effort;
    return partner_settle(operation.pair, of->place & OPERATION_ELSEWHERE ? plan->partner_cpu : plan->cpus[0],
                          plan->priority ? plan->priority + above : 0);
}

static void operation_run(struct measured *measured)
{
    uint64_t seq = 0;

    measured->failure = operation_settle(measured);
    for (; !measured->failure && measured_goes_on(measured, seq); seq++) {
        struct ring_entry sample = {.kind = RING_SAMPLE, .seq = seq};
        const char *failure = operation.of->kind->sample(operation.pair, sample.at);

        if (!failure)
            ring_push(measured->ring, &sample);
        else
            operation_lose(measured, seq, failure == OPERATION_VOID ? WIRE_LOSS_VOID : WIRE_LOSS_STOPPED);
        measured->failure = failure == OPERATION_VOID ? NULL : failure;
    }
    measured->due[0] = seq;
    port_partner_end();
}

static const struct series SERIES_ONCE = {.points = 2, .point = {"begin", "end"}};
static const struct series SERIES_BATCHES = {
    .points = 2 * OPERATION_BATCHES,
    .point = {"first-begin", "first-end", "second-begin", "second-end", "third-begin", "third-end"},
};

static const struct measure *operation_of(const struct operation *of)
{
    operation.of = of;
    operation.series = of->batch ? SERIES_BATCHES : SERIES_ONCE;
    operation.series.name = of->name;
    operation.series.fields = of->fields;
    operation.measure = (struct measure){
        .name = "osbench",
        .summary = of->says,
        .traits = MEASURE_HIDDEN | MEASURE_BRIEF,
        .series = &operation.series,
        .series_count = 1,
        .prepare = operation_prepare,
        .run = operation_run,
    };
    return &operation.measure;
}

const struct measure *operation_measure(const char *test)
{
    for (uint32_t i = 0; i < OPERATIONS_COUNT; i++) {
        if (operation_is_named(OPERATIONS[i].test, test))
            return operation_of(&OPERATIONS[i]);
    }
    return NULL;
}
