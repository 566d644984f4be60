// SPDX-License-Identifier: MIT OR Apache-2.0
// Adds links to a priority queue and removes them. The usual wakeup and wait do neither, so these functions are not inline.
#include "core/queue.h"

void queue_reset(struct queue *queue)
{
    for (unsigned p = 0; p <= PRIORITY_LEVELS; p++)
        queue->heads[p] = NULL;
    for (unsigned w = 0; w < PRIORITY_WORDS; w++)
        queue->words[w] = 0;
    queue->words[PRIORITY_WORDS - 1] = 1;
    queue->summary = QUEUE_SUMMARY_EMPTY;
}

static void queue_mark(struct queue *queue, uint32_t priority)
{
    queue->words[priority / 64] |= 1ull << (priority % 64);
    queue->summary |= 1ull << (priority / 64);
}

static void queue_unmark(struct queue *queue, uint32_t priority)
{
    queue->words[priority / 64] &= ~(1ull << (priority % 64));
    if (queue->words[priority / 64] == 0)
        queue->summary &= ~(1ull << (priority / 64));
}

void queue_append(struct queue *queue, struct link *link)
{
    uint32_t priority = link->priority;
    struct link *head = queue->heads[priority];
    if (head == NULL) {
        link->next = link->prev = link;
        queue->heads[priority] = link;
        queue_mark(queue, priority);
        return;
    }
    struct link *tail = head->prev;
    link->next = head;
    link->prev = tail;
    tail->next = link;
    head->prev = link;
}

void queue_prepend(struct queue *queue, struct link *link)
{
    queue_append(queue, link);
    queue->heads[link->priority] = link;
}

void queue_remove(struct queue *queue, struct link *link)
{
    uint32_t priority = link->priority;
    struct link *next = link->next;
    if (next == link) {
        queue->heads[priority] = NULL;
        queue_unmark(queue, priority);
        return;
    }
    struct link *prev = link->prev;
    prev->next = next;
    next->prev = prev;
    if (queue->heads[priority] == link)
        queue->heads[priority] = next;
}
