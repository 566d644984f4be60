// SPDX-License-Identifier: MIT OR Apache-2.0
// ring.h — one thread writes, one thread reads, no lock. What finds no room is counted.
#ifndef BACKWALL_PROBE_RING_H
#define BACKWALL_PROBE_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RING_ENTRIES 32768u // a power of two
#define RING_POINTS 6u
#define RING_SERIES 64u // series that one ring carries

enum ring_kind { RING_SAMPLE = 0, RING_LOST = 1 };

struct ring_entry {
    uint16_t kind;            // enum ring_kind
    uint16_t series;          // the measure's series, below RING_SERIES
    uint32_t reason;          // RING_LOST: enum wire_loss
    uint64_t seq;             // RING_LOST: number of the first lost stimulus
    uint64_t at[RING_POINTS]; // RING_SAMPLE: the points; RING_LOST: at[0] is the number of lost stimuli
};

// Stimuli of one series for which the ring had no room. They stay pending until there is room for a record of the loss.
struct ring_missed {
    uint64_t seq;   // number of the first lost stimulus
    uint64_t count; // 0: no losses are pending
};

// A ring carries the series of one measured thread, each in the order of seq without a gap.
struct ring {
    alignas(64) _Atomic uint64_t head;                  // entries ever pushed; written by the producer
    uint64_t tail_seen;                                 // for the producer: the tail that it read last
    uint64_t missed_series;                             // for the producer: how many series have pending losses
    alignas(64) _Atomic uint64_t tail;                  // entries ever taken; written by the consumer
    alignas(64) struct ring_missed missed[RING_SERIES]; // for the producer
    alignas(64) struct ring_entry entries[RING_ENTRIES];
};

// Producer: stores a copy. Without room, the stimuli of the entry count as lost with reason ring_full.
void ring_push(struct ring *ring, const struct ring_entry *entry);
// Producer: number of entries for which there is room now, after pending losses.
uint64_t ring_room(struct ring *ring);
// Consumer: takes the oldest entry; false if there is none.
bool ring_take(struct ring *ring, struct ring_entry *entry);
// Consumer, after the producer has ended and the ring is empty: takes the pending losses, one series per call; false if there are
// none.
bool ring_take_missed(struct ring *ring, struct ring_entry *entry);

#endif
