// SPDX-License-Identifier: MIT OR Apache-2.0
// wakeup on clocks of random behaviour: every release is accounted for, in order, by either rule.
#include "check.h"

#include "../measure.h"
#include "../plan.h"
#include "../port/port.h"

#include "../../wire/wire.h"

#include <string.h>

extern const struct measure measure_wakeup;

#define RELEASES_MAX 400u
#define PERIOD 1000u
#define NOT_ANSWERED UINT64_MAX

static unsigned long long seed;
static uint64_t now;
static uint64_t stop_at;  // the process is asked to stop at this count
static unsigned lateness; // how the clock behaves, 0 to 3
static struct ring ring;
static uint64_t response_at[RELEASES_MAX];
static uint64_t lost_reason[RELEASES_MAX];

uint64_t port_clock_read(void)
{
    now += check_random(&seed) % 3;
    return now;
}

// Mostly prompt, now and then later than many periods, and sometimes exactly on a later release.
static uint64_t random_lateness(void)
{
    unsigned choice = check_random(&seed) % 100;

    if (choice < 80 || lateness == 0)
        return check_random(&seed) % 50;
    if (choice < 95)
        return check_random(&seed) % (PERIOD * lateness * 3);
    return PERIOD * (check_random(&seed) % 20);
}

bool port_wait_until(uint64_t at)
{
    if (now >= stop_at)
        return false;
    if (at <= now)
        return true;
    if (at >= stop_at) {
        now = stop_at;
        return false;
    }
    now = at + random_lateness();
    return true;
}

void *port_memory_map(size_t bytes)
{
    return calloc(1, bytes);
}

// Empties the ring into the two tables. The entries must come in the order of seq, without a gap.
static uint64_t collect(void)
{
    struct ring_entry entry;
    uint64_t next = 0;

    memset(lost_reason, 0, sizeof lost_reason);
    for (uint64_t i = 0; i < RELEASES_MAX; i++)
        response_at[i] = NOT_ANSWERED;
    while (ring_take(&ring, &entry)) {
        CHECK(entry.seq == next);
        if (entry.kind == RING_SAMPLE) {
            response_at[next++] = entry.at[1];
            continue;
        }
        for (uint64_t i = 0; i < entry.at[0]; i++)
            lost_reason[next++] = entry.reason;
    }
    return next;
}

// The rule: a release is lost if it was due before or at the time of the last response before it.
static void check_skip(uint64_t due, uint64_t first_at)
{
    uint64_t last_response = 0;

    for (uint64_t seq = 0; seq < due; seq++) {
        uint64_t release_at = first_at + seq * PERIOD;

        if (response_at[seq] == NOT_ANSWERED) {
            CHECK(lost_reason[seq] == WIRE_LOSS_STOPPED || release_at <= last_response);
            continue;
        }
        CHECK(release_at > last_response && response_at[seq] >= release_at);
        last_response = response_at[seq];
    }
}

static void check_queue(uint64_t due, uint64_t first_at)
{
    for (uint64_t seq = 0; seq < due; seq++) {
        CHECK(response_at[seq] != NOT_ANSWERED || lost_reason[seq] == WIRE_LOSS_STOPPED);
        CHECK(response_at[seq] >= first_at + seq * PERIOD);
        CHECK(seq == 0 || response_at[seq] >= response_at[seq - 1]);
    }
}

static void run_once(bool queue)
{
    struct plan plan = {
        .warmup = check_random(&seed) % 100, .count = 1 + check_random(&seed) % 300, .overrun_queue = queue};
    struct measured measured = {.plan = &plan, .ring = &ring, .period = PERIOD, .last = plan.warmup + plan.count};
    uint64_t planned = plan.warmup + plan.count;

    now = check_random(&seed);
    lateness = check_random(&seed) % 4;
    measured.first_at = now + 1 + check_random(&seed) % PERIOD;
    stop_at = check_random(&seed) % 2 ? UINT64_MAX : now + check_random(&seed) % (planned * PERIOD);
    measure_wakeup.run(&measured);
    uint64_t accounted = collect();

    CHECK(accounted == measured.due[0] && measured.due[0] <= planned);
    CHECK(stop_at != UINT64_MAX || measured.due[0] == planned);
    (queue ? check_queue : check_skip)(measured.due[0], measured.first_at);
}

static void every_release_is_answered_or_lost_under_skip(void)
{
    for (seed = 1; seed < 3000000; seed += 1000)
        run_once(false);
}

static void every_release_is_answered_under_queue(void)
{
    for (seed = 2; seed < 3000000; seed += 1000)
        run_once(true);
}

int main(void)
{
    TEST(every_release_is_answered_or_lost_under_skip);
    TEST(every_release_is_answered_under_queue);
    return 0;
}
