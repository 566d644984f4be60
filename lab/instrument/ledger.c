/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See ledger.h. The events and the readings are stored in two rings. */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

/* How far an instant may be after a reading of the counter, and how far before one. */
enum { BEHIND_INSTRUCTIONS = 1 << 16, BEFORE_INSTRUCTIONS = 256 };

static struct event {
    uint64_t number;
    enum heavy kind;
} events[LEDGER_EVENTS];

static struct stamp {
    uint64_t number;
    uint32_t instant;
} stamps[LEDGER_STAMPS];

static uint64_t event_count, stamp_count;

void ledger_event(enum heavy kind, uint64_t number)
{
    events[event_count++ % LEDGER_EVENTS] = (struct event){number, kind};
}

void ledger_stamp(uint32_t instant, uint64_t number)
{
    stamps[stamp_count++ % LEDGER_STAMPS] = (struct stamp){number, instant};
}

/*
 * Computes the number from the reading just after the instant, or else from the latest one before it. Between two readings, the
 * counter may have jumped while the CPU was idle. If the readings do not determine the number, returns false.
 */
static bool number_of(uint32_t instant, uint64_t *number)
{
    const struct stamp *next = NULL;
    uint64_t kept = stamp_count < LEDGER_STAMPS ? stamp_count : LEDGER_STAMPS;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct stamp *stamp = &stamps[(stamp_count - i) % LEDGER_STAMPS];
        uint32_t behind = instant - stamp->instant;
        if (behind <= INT32_MAX) {
            bool before = next && next->instant - instant < BEFORE_INSTRUCTIONS;
            *number = before ? next->number - (next->instant - instant) : stamp->number + behind;
            return before ? *number >= stamp->number
                          : behind < BEHIND_INSTRUCTIONS && (!next || *number <= next->number);
        }
        next = stamp;
    }
    return false;
}

bool ledger_count(uint32_t from, uint32_t to, uint32_t counts[HEAVY_KINDS])
{
    uint64_t first, end;
    memset(counts, 0, HEAVY_KINDS * sizeof *counts);
    if (!number_of(from, &first) || !number_of(to, &end) || first > end)
        return false;
    uint64_t kept = event_count < LEDGER_EVENTS ? event_count : LEDGER_EVENTS;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct event *event = &events[(event_count - i) % LEDGER_EVENTS];
        if (event->number < first)
            return true;
        if (event->number < end)
            counts[event->kind]++;
    }
    return kept == event_count;
}

void ledger_text(uint32_t from, uint32_t to, char text[LEDGER_TEXT_CHARS])
{
    uint32_t counts[HEAVY_KINDS];
    size_t length = 0;
    if (!ledger_count(from, to, counts)) {
        snprintf(text, LEDGER_TEXT_CHARS, "unknown");
        return;
    }
    for (size_t kind = 0; kind < HEAVY_KINDS; kind++)
        length += (size_t)snprintf(text + length, LEDGER_TEXT_CHARS - length, "%s%s=%u", kind > 0 ? "," : "",
                                   HEAVY_NAMES[kind], counts[kind]);
}
