// SPDX-License-Identifier: MIT OR Apache-2.0
// The kernel's part of critical sections; detent.h has the other part. A section has a lock in the kernel only while threads wait
// for it: CONTENDED is then set in its owner, and its `lock` is that lock's index.
#ifndef DETENT_CRITSEC_H
#define DETENT_CRITSEC_H

#include <stdint.h>

struct lock;
struct queue;

void critsec_init(void);                               // begins without locks
void critsec_add(uint32_t index, struct queue *queue); // gate closed: adds a lock with this empty queue
// Gate closed: the owner ends. The highest waiting thread gets the section and is told.
void critsec_abandon(struct lock *lock);

#endif
