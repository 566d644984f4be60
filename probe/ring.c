// SPDX-License-Identifier: MIT OR Apache-2.0
// Ring between the measured thread and the writer: one producer, one consumer, no lock.
//
// The producer publishes an entry by a release store of head; the consumer gives it back by a release store of tail.
// Each reads the other's index with acquire. Both indices only grow, so head - tail is the number of entries in the
// ring.
#include "ring.h"

#include "../wire/wire.h"

_Static_assert((RING_ENTRIES & (RING_ENTRIES - 1)) == 0, "RING_ENTRIES is a power of two");
_Static_assert(sizeof(struct ring_entry) == 64, "an entry is one cache line");

static uint64_t ring_free(struct ring *ring, uint64_t head)
{
    ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return RING_ENTRIES - (head - ring->tail_seen);
}

uint64_t ring_room(struct ring *ring)
{
    uint64_t free = ring_free(ring, atomic_load_explicit(&ring->head, memory_order_relaxed));

    return free > ring->missed_series ? free - ring->missed_series : 0;
}

static void ring_miss(struct ring *ring, const struct ring_entry *entry)
{
    struct ring_missed *missed = &ring->missed[entry->series];

    if (missed->count == 0) {
        missed->seq = entry->seq;
        ring->missed_series++;
    }
    missed->count += entry->kind == RING_LOST ? entry->at[0] : 1;
}

static void ring_put(struct ring *ring, uint64_t head, const struct ring_entry *entry)
{
    ring->entries[head & (RING_ENTRIES - 1)] = *entry;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

// Removes and returns the pending losses of the next series.
static struct ring_entry ring_missed_next(struct ring *ring)
{
    uint16_t series = 0;

    while (ring->missed[series].count == 0) // ends, because missed_series is not 0
        series++;
    struct ring_missed missed = ring->missed[series];

    ring->missed[series].count = 0;
    ring->missed_series--;
    return (struct ring_entry){
        .kind = RING_LOST,
        .series = series,
        .reason = WIRE_LOSS_RING_FULL,
        .seq = missed.seq,
        .at = {missed.count},
    };
}

// Writes pending losses first, so that each series stays in the order of seq.
static void ring_push_slowly(struct ring *ring, uint64_t head, const struct ring_entry *entry)
{
    if (ring_free(ring, head) < ring->missed_series + 1) {
        ring_miss(ring, entry);
        return;
    }
    while (ring->missed_series != 0) {
        struct ring_entry missed = ring_missed_next(ring);

        ring_put(ring, head++, &missed);
    }
    ring_put(ring, head, entry);
}

void ring_push(struct ring *ring, const struct ring_entry *entry)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

    if (ring->missed_series != 0 || head - ring->tail_seen >= RING_ENTRIES)
        ring_push_slowly(ring, head, entry);
    else
        ring_put(ring, head, entry);
}

bool ring_take(struct ring *ring, struct ring_entry *entry)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    if (tail == atomic_load_explicit(&ring->head, memory_order_acquire))
        return false;
    *entry = ring->entries[tail & (RING_ENTRIES - 1)];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}

bool ring_take_missed(struct ring *ring, struct ring_entry *entry)
{
    if (ring->missed_series == 0)
        return false;
    *entry = ring_missed_next(ring);
    return true;
}
