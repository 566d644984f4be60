// SPDX-License-Identifier: MIT OR Apache-2.0
// wakeup: the time from the expiry of an absolute timer to the first instruction of the thread that waits for it.
//
// The schedule is fixed before the first wait and never depends on the time of a response, so a late response cannot
// hide later ones. Release seq comes due at first_at + seq * period. The overrun rule decides about releases that come
// due during a late response:
//   skip    they count as lost; the next wait is for the first release in the future;
//   queue   each is answered at once, and its latency counts from its own release.
//
// wakeup-cold also sweeps the caches before each wait: it measures the response of rarely used code. A sweep that is
// not over at the next release delays the response: choose a period of 2 ms or more.
#include "../caches.h"
#include "../measure.h"
#include "../plan.h"
#include "../port/port.h"

#include "../../wire/wire.h"

static void wakeup_lose(struct measured *measured, uint64_t seq, uint64_t count, uint32_t reason)
{
    struct ring_entry entry = {.kind = RING_LOST, .reason = reason, .seq = seq, .at = {count}};

    if (count != 0)
        ring_push(measured->ring, &entry);
}

// How many releases have passed, counted from the one at release_at; at most limit.
static uint64_t wakeup_passed(const struct measured *measured, uint64_t release_at, uint64_t now, uint64_t limit)
{
    uint64_t passed = now < release_at ? 0 : (now - release_at) / measured->period + 1;

    return passed < limit ? passed : limit;
}

// The loop of both measures. Callers pass `is_cold` as a constant, so that after inlining the plain measure does not test it.
__attribute__((always_inline)) static inline void wakeup_loop(struct measured *measured, bool is_cold)
{
    const uint64_t last = measured->last;
    const uint64_t skip_after = measured->plan->overrun_queue ? UINT64_MAX : measured->period;
    struct ring_entry sample = {.kind = RING_SAMPLE};
    uint64_t release_at = measured->first_at;
    uint64_t seq = 0;

    while (seq < last) {
        if (is_cold)
            caches_sweep();
        if (!port_wait_until(release_at)) // the thread was asked to stop
            break;
        uint64_t now = port_clock_read();

        sample.seq = seq++;
        sample.at[0] = release_at;
        sample.at[1] = now;
        ring_push(measured->ring, &sample);
        release_at += measured->period;
        if (now - sample.at[0] >= skip_after) {
            uint64_t lost = wakeup_passed(measured, release_at, now, last - seq);

            wakeup_lose(measured, seq, lost, WIRE_LOSS_OVERRUN);
            seq += lost;
            release_at += lost * measured->period;
        }
    }
    uint64_t unanswered = wakeup_passed(measured, release_at, port_clock_read(), last - seq);

    wakeup_lose(measured, seq, unanswered, WIRE_LOSS_STOPPED);
    measured->due[0] = seq + unanswered;
}

static void wakeup_run(struct measured *measured)
{
    wakeup_loop(measured, false);
}

static const char *wakeup_cold_prepare(const struct plan *plan)
{
    (void)plan;
    return caches_prepare();
}

static void wakeup_cold_run(struct measured *measured)
{
    wakeup_loop(measured, true);
}

static const struct series WAKEUP_SERIES[] = {
    {.name = "wakeup", .points = 2, .point = {"expiry", "thread"}},
};

const struct measure measure_wakeup = {
    .name = "wakeup",
    .summary = "absolute timer to waiting thread",
    .traits = MEASURE_PERIODIC,
    .series = WAKEUP_SERIES,
    .series_count = 1,
    .run = wakeup_run,
};

static const struct series WAKEUP_COLD_SERIES[] = {
    {.name = "wakeup-cold", .points = 2, .point = {"expiry", "thread"}},
};

const struct measure measure_wakeup_cold = {
    .name = "wakeup-cold",
    .summary = "the same, with the caches swept before each wait",
    .traits = MEASURE_PERIODIC,
    .series = WAKEUP_COLD_SERIES,
    .series_count = 1,
    .prepare = wakeup_cold_prepare,
    .run = wakeup_cold_run,
};
