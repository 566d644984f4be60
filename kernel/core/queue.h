// SPDX-License-Identifier: MIT OR Apache-2.0
// A priority queue with constant-time operations: one circular list per priority, a bit for each list that is not empty, and a
// summary bit for each word of those bits. Ready threads, waiting threads and inherited priorities are kept in such queues.
#ifndef DETENT_QUEUE_H
#define DETENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limits.h"

// An entry in one list of a queue. priority keeps its value while the link is in no queue.
struct link {
    struct link *next, *prev;
    uint32_t priority; // 0 is the highest; PRIORITY_IDLE_THREAD: the idle thread, or an empty queue
};

// The bit of level PRIORITY_IDLE_THREAD is always set, so that the top of an empty queue needs no branch: its priority is
// PRIORITY_IDLE_THREAD. In the ready queue, the idle thread is at that level.
struct queue {
    uint64_t words[PRIORITY_WORDS];
    uint64_t summary;
    struct link *heads[PRIORITY_LEVELS + 1];
};

#define QUEUE_SUMMARY_EMPTY (1ull << (PRIORITY_WORDS - 1))

static inline bool higher_priority(uint32_t a, uint32_t b)
{
    return a < b;
}

void queue_reset(struct queue *queue);

static inline bool queue_is_empty(const struct queue *queue)
{
    return queue->summary == QUEUE_SUMMARY_EMPTY;
}

// The highest priority present; PRIORITY_IDLE_THREAD if the queue is empty.
static inline uint32_t queue_top_priority(const struct queue *queue)
{
    unsigned long w = (unsigned long)__builtin_ctzll(queue->summary);
    return (uint32_t)(w * 64 + (unsigned long)__builtin_ctzll(queue->words[w]));
}

// The first link of the highest priority. If the queue is empty: the idle thread's link in the ready queue, NULL in any
// other queue.
static inline struct link *queue_top(const struct queue *queue)
{
    return queue->heads[queue_top_priority(queue)];
}

// Appends the link as the last of its priority. The link must be in no queue, and its priority must be set.
void queue_append(struct queue *queue, struct link *link);
// Inserts the link as the first of its priority, for a thread that has not used up its turn.
void queue_prepend(struct queue *queue, struct link *link);
void queue_remove(struct queue *queue, struct link *link);

#endif
