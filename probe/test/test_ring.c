// SPDX-License-Identifier: MIT OR Apache-2.0
// The ring: order, what happens when it is full, and two threads at once.
#include "check.h"

#include "../ring.h"

#include "../../wire/wire.h"

#include <pthread.h>
#include <string.h>

#define STORM_SAMPLES 2000000u

static struct ring ring;
static _Atomic bool produced;

static void push_sample(uint64_t seq)
{
    ring_push(&ring, &(struct ring_entry){.kind = RING_SAMPLE, .seq = seq, .at = {seq, ~seq}});
}

static void what_goes_in_comes_out_in_order(void)
{
    struct ring_entry entry;

    memset(&ring, 0, sizeof ring);
    CHECK(!ring_take(&ring, &entry));
    for (uint64_t seq = 0; seq < 3u * RING_ENTRIES; seq++) {
        push_sample(seq);
        CHECK(ring_take(&ring, &entry) && entry.seq == seq && entry.at[1] == ~seq);
    }
    CHECK(!ring_take(&ring, &entry) && !ring_take_missed(&ring, &entry));
}

static void a_full_ring_counts_what_it_cannot_take(void)
{
    struct ring_entry entry;
    uint64_t seq = 0;

    memset(&ring, 0, sizeof ring);
    for (; seq < RING_ENTRIES + 5u; seq++)
        push_sample(seq);
    ring_push(&ring, &(struct ring_entry){.kind = RING_LOST, .reason = WIRE_LOSS_OVERRUN, .seq = seq, .at = {10}});
    for (uint64_t i = 0; i < RING_ENTRIES; i++)
        CHECK(ring_take(&ring, &entry) && entry.seq == i);
    push_sample(seq + 10);
    CHECK(ring_take(&ring, &entry) && entry.kind == RING_LOST && entry.reason == WIRE_LOSS_RING_FULL);
    CHECK(entry.seq == RING_ENTRIES && entry.at[0] == 15);
    CHECK(ring_take(&ring, &entry) && entry.kind == RING_SAMPLE && entry.seq == seq + 10);
}

static void losses_still_pending_at_the_end_are_not_forgotten(void)
{
    struct ring_entry entry;

    memset(&ring, 0, sizeof ring);
    for (uint64_t seq = 0; seq < RING_ENTRIES + 3u; seq++)
        push_sample(seq);
    while (ring_take(&ring, &entry))
        CHECK(entry.kind == RING_SAMPLE);
    CHECK(ring_take_missed(&ring, &entry) && entry.seq == RING_ENTRIES && entry.at[0] == 3);
    CHECK(!ring_take_missed(&ring, &entry));
}

// Losses of several series wait at the same time; each one is reported before the next entry of its own series.
static void losses_of_one_series_are_not_those_of_another(void)
{
    struct ring_entry entry;

    memset(&ring, 0, sizeof ring);
    for (uint64_t seq = 0; seq < RING_ENTRIES / 2 + 5u; seq++) {
        for (uint16_t series = 0; series < 2; series++)
            ring_push(&ring, &(struct ring_entry){.kind = RING_SAMPLE, .series = (uint16_t)(series * 63), .seq = seq});
    }
    for (int taken = 0; taken < 3; taken++)
        CHECK(ring_take(&ring, &entry) && entry.kind == RING_SAMPLE);
    CHECK(ring_room(&ring) == 1);
    ring_push(&ring, &(struct ring_entry){.kind = RING_SAMPLE, .series = 63, .seq = RING_ENTRIES / 2 + 5u});
    while (ring_take(&ring, &entry) && entry.kind == RING_SAMPLE)
        ;
    CHECK(entry.kind == RING_LOST && entry.series == 0 && entry.seq == RING_ENTRIES / 2 && entry.at[0] == 5);
    CHECK(ring_take(&ring, &entry) && entry.kind == RING_LOST && entry.series == 63 && entry.at[0] == 5);
    CHECK(ring_take(&ring, &entry) && entry.kind == RING_SAMPLE && entry.seq == RING_ENTRIES / 2 + 5u);
    CHECK(!ring_take(&ring, &entry) && !ring_take_missed(&ring, &entry));
}

static void *produce(void *argument)
{
    for (uint64_t seq = 0; seq < STORM_SAMPLES; seq++)
        push_sample(seq);
    atomic_store(&produced, true);
    return argument;
}

// Takes all entries in the ring; every stimulus must appear exactly once, as a sample or as a loss.
static uint64_t consume(uint64_t next)
{
    struct ring_entry entry;

    while (ring_take(&ring, &entry)) {
        CHECK(entry.seq == next);
        CHECK(entry.kind == RING_LOST || entry.at[1] == ~entry.seq);
        next += entry.kind == RING_LOST ? entry.at[0] : 1;
    }
    return next;
}

static void two_threads_lose_nothing_uncounted(void)
{
    struct ring_entry entry;
    pthread_t producer;
    uint64_t next = 0;

    memset(&ring, 0, sizeof ring);
    CHECK(pthread_create(&producer, NULL, produce, NULL) == 0);
    while (!atomic_load(&produced))
        next = consume(next);
    CHECK(pthread_join(producer, NULL) == 0);
    next = consume(next);
    if (ring_take_missed(&ring, &entry)) {
        CHECK(entry.seq == next);
        next += entry.at[0];
    }
    CHECK(next == STORM_SAMPLES);
}

int main(void)
{
    TEST(what_goes_in_comes_out_in_order);
    TEST(a_full_ring_counts_what_it_cannot_take);
    TEST(losses_still_pending_at_the_end_are_not_forgotten);
    TEST(losses_of_one_series_are_not_those_of_another);
    TEST(two_threads_lose_nothing_uncounted);
    return 0;
}
