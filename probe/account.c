// SPDX-License-Identifier: MIT OR Apache-2.0
// A measured thread's series in the stream: every due stimulus comes out of the ring as a sample or as a loss.
#include "account.h"

#include "../wire/wire.h"
#include "counts.h"
#include "emit.h"
#include "measured.h"
#include "plan.h"

#include <stdio.h>

void account_declare(const struct measured_thread *thread, bool several)
{
    const struct measured *measured = &thread->measured;
    const bool periodic = thread->measure->traits & MEASURE_PERIODIC;

    for (uint32_t i = 0; i < thread->measure->series_count; i++) {
        const struct series *series = &thread->measure->series[i];
        struct wire_series head = {
            .series = thread->first_series + i,
            .points = series->points,
            .period = measured->period,
            .deadline = measured->plan->deadline_ns ? counts_of_ns(measured->plan->deadline_ns) : measured->period,
            .first_at = periodic ? measured->first_at : 0,
            .overrun = periodic && measured->plan->overrun_queue ? WIRE_OVERRUN_QUEUE : WIRE_OVERRUN_SKIP,
            .cpu = several ? (uint32_t)thread->cpu : WIRE_NONE,
        };

        const char *fields[WIRE_FIELDS_MAX];
        char number[24];

        for (; series->fields && series->fields[head.fields]; head.fields++)
            fields[head.fields] = series->fields[head.fields];
        if (thread->shares) {
            snprintf(number, sizeof number, "thread=%u", thread->number);
            fields[head.fields++] = number;
        }
        emit_series(&head, series->name, series->point, fields);
    }
}

static void account_say(struct measured_thread *thread, const struct ring_entry *entry)
{
    uint32_t number = thread->first_series + entry->series;

    if (entry->kind == RING_LOST) {
        emit_lost(number, entry->reason, entry->seq, entry->at[0]);
        thread->lost[entry->series] += entry->at[0];
        return;
    }
    emit_sample(number, thread->measure->series[entry->series].points,
                entry->seq < thread->measured.plan->warmup ? WIRE_SAMPLES_WARMUP : 0, entry->seq, entry->at);
    thread->done[entry->series]++;
}

void account_drain(struct measured_thread *thread)
{
    struct ring_entry entry;

    while (ring_take(thread->measured.ring, &entry))
        account_say(thread, &entry);
}

bool account_close(struct measured_thread *thread)
{
    struct ring_entry entry;
    bool closed = true;

    account_drain(thread);
    while (ring_take_missed(thread->measured.ring, &entry))
        account_say(thread, &entry);
    for (uint32_t i = 0; i < thread->measure->series_count; i++)
        closed = closed && thread->measured.due[i] == thread->done[i] + thread->lost[i];
    return closed;
}

void account_say_usage(const struct measured_thread *thread, bool several)
{
    const struct port_usage *first = &thread->usage_first;
    const struct port_usage *last = &thread->usage_last;
    uint32_t about = several ? thread->first_series : WIRE_NONE;

    if (!last->known)
        return;
    emit_value(about, "measured_cpu_ns", last->cpu_ns - first->cpu_ns);
    emit_value(about, "measured_page_faults", last->page_faults - first->page_faults);
    emit_value(about, "measured_preemptions", last->preemptions - first->preemptions);
}

void account_say_totals(const struct measured_thread *thread)
{
    for (uint32_t i = 0; i < thread->measure->series_count; i++) {
        uint64_t due = thread->measured.due[i];

        emit_totals(thread->first_series + i, due, thread->done[i], thread->lost[i]);
    }
}
