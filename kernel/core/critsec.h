// SPDX-License-Identifier: MIT OR Apache-2.0
// The kernel's part of critical sections; detent.h has the program's part. A section has a lock in the kernel only while threads
// wait for it. Meanwhile CONTENDED is set in the section's `owner`, and its `lock` is the index of that lock.
#ifndef DETENT_CRITSEC_H
#define DETENT_CRITSEC_H

#include <stdint.h>

struct lock;
struct queue;

void critsec_init(void);                               // starts with no locks
void critsec_add(uint32_t index, struct queue *queue); // gate closed: adds a lock with this empty queue
// Gate closed; call it when the owner ends. The highest waiting thread gets the section, and an error tells that thread
// that the section was abandoned.
void critsec_abandon(struct lock *lock);

#endif
