// SPDX-License-Identifier: MIT OR Apache-2.0
// operation: one row of the table, as often as asked.
//
// What its thread waits on and its partner are made before any measured thread starts, because a process of its own can only
// be split off from one that has a single thread. A round that did not take place as it should is counted as lost.
#include "../operation.h"

#include "../caches.h"
#include "../plan.h"

#include "../../wire/wire.h"

#include <string.h>

static struct {
    const struct operation *of;
    struct pair *pair;
    const struct port_call *call;
    struct series series;
    struct measure measure;
} operation;

bool operation_is_named(const char *name, const char *text)
{
    while (*name && *name == *text)
        name++, text++;
    return *name == *text;
}

// The port's event, which the probe has anyway, is a waker too.
static const char *event_make(void *room, bool across)
{
    ((struct port_event *)room)->across = across;
    return NULL;
}

static void event_wait(void *room)
{
    port_event_wait(room, PORT_FOREVER);
}

static void event_wake(void *room)
{
    port_event_set(room);
}

static const struct port_waker EVENT = {.name = "event", .make = event_make, .wait = event_wait, .wake = event_wake};

const struct port_waker *operation_waker(const char *name)
{
    return operation_is_named(name, EVENT.name) ? &EVENT : port_waker(name);
}

static bool operation_has_partner(const struct operation *of)
{
    return of->kind != OPERATION_CALL && of->kind != OPERATION_SPAWN;
}

static bool operation_has_waker(const struct operation *of)
{
    return of->kind == OPERATION_WAKE || of->kind == OPERATION_ENTER || of->kind == OPERATION_ROUND;
}

static const char OPERATION_UNKNOWN[] = "this system has nothing that this operation could be done with";

static const char *operation_make_waker(struct pair *pair)
{
    const struct operation *of = pair->of;

    pair->waker = operation_waker(of->object);
    if (!pair->waker)
        return OPERATION_UNKNOWN;
    const char *refusal = pair->waker->make(pair->room, of->place & OPERATION_ACROSS);

    if (!refusal && of->kind == OPERATION_ROUND)
        refusal = pair->waker->make(pair->room + PORT_ROOM_BYTES / 2, of->place & OPERATION_ACROSS);
    return refusal;
}

static const char *operation_make(struct pair *pair)
{
    const struct operation *of = pair->of;

    if (operation_has_waker(of))
        return operation_make_waker(pair);
    if (of->kind != OPERATION_CALL)
        return NULL;
    operation.call = operation_call(of->object);
    if (!operation.call)
        return OPERATION_UNKNOWN;
    return operation.call->make ? operation.call->make(pair->room) : NULL;
}

// The memory of the operation before, but for the two events, which the port may have made something for. Its partner is gone.
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
    if (!refusal && operation_has_partner(of))
        refusal = port_partner_start(partner_run, pair, of->place & OPERATION_ACROSS);
    return refusal;
}

static const char *operation_sample(uint64_t *at)
{
    switch (operation.of->kind) {
    case OPERATION_WAKE:
        return wake_sample(operation.pair, at);
    case OPERATION_ENTER:
        return enter_sample(operation.pair, at);
    case OPERATION_YIELD:
        return yield_sample(operation.pair, at);
    case OPERATION_CALL:
        return batch_sample(operation.pair, operation.call, at);
    case OPERATION_SERVE:
        return serve_sample(operation.pair, at);
    case OPERATION_ROUND:
        return round_sample(operation.pair, at);
    case OPERATION_SPAWN:
        return spawn_sample(operation.pair, at);
    }
    return OPERATION_UNKNOWN;
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
    unsigned above = of->kind == OPERATION_YIELD || plan->equal ? 0 : 1;

    if (!operation_has_partner(of))
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
        const char *failure = operation_sample(sample.at);

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
