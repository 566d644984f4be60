// SPDX-License-Identifier: MIT OR Apache-2.0
// ring.h — one thread in, one thread out, no lock; what finds no room is counted.
#ifndef BACKWALL_PROBE_RING_H
#define BACKWALL_PROBE_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RING_ENTRIES 32768u // a power of two
#define RING_POINTS 6u

enum ring_kind { RING_SAMPLE = 0, RING_LOST = 1 };

struct ring_entry {
    uint32_t kind;            // enum ring_kind
    uint32_t reason;          // RING_LOST: enum wire_loss
    uint64_t seq;             // RING_LOST: the first of them
    uint64_t at[RING_POINTS]; // RING_SAMPLE: the points; RING_LOST: at[0] is how many
};

// A ring carries one series, in the order of seq without a gap.
struct ring {
    alignas(64) _Atomic uint64_t head; // entries ever pushed; written by the producer
    uint64_t tail_seen;                // producer's: the last tail it read
    uint64_t missed_seq;               // producer's: first stimulus that found no room
    uint64_t missed_count;             // producer's: how many, 0 when none are pending
    alignas(64) _Atomic uint64_t tail; // entries ever taken; written by the consumer
    alignas(64) struct ring_entry entries[RING_ENTRIES];
};

// Producer. Stores a copy; without room the stimuli of the entry count as lost with reason ring_full.
void ring_push(struct ring *ring, const struct ring_entry *entry);
// Consumer. Takes the oldest entry; false when there is none.
bool ring_take(struct ring *ring, struct ring_entry *entry);
// Consumer, once the producer has ended and the ring is empty: the losses still pending; false when none.
bool ring_take_missed(struct ring *ring, struct ring_entry *entry);

#endif
