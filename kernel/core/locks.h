// SPDX-License-Identifier: MIT OR Apache-2.0
// Locks and priority inheritance.
//
// Every lock with waiters is in its owner's queue `donations` at the priority of the highest waiter. So the head of that queue
// gives the highest inherited priority, however many locks the owner has. Code that changes the waiters of a lock, or the
// priority of one of them, must call lock_donate. The usual case has a short path in wait_block_lock and lock_hand_over: a single
// waiter without timeout, and an owner that is ready and inherits from no other thread. The gate must be closed.
#ifndef DETENT_LOCKS_H
#define DETENT_LOCKS_H

#include "core/lock.h"
#include "core/thread.h"

void lock_donate(struct lock *lock);
void lock_donate_in_steps(struct lock *lock); // for the thread that completes the donation in steps (waits.h)
// Passes the lock from its owner, the running thread, to the highest waiting thread, and answers that thread's wait. If
// no thread waits, nobody owns the lock afterwards. Returns the new owner.
struct thread *lock_hand_over(struct lock *lock, uint32_t wait_result);
struct thread *lock_take_away(struct lock *lock, uint32_t wait_result); // the same, from an owner in any state
struct lock *thread_lock_waited(const struct thread *thread); // for a wait for one object; NULL: it waits for no lock
uint32_t thread_due_priority(const struct thread *thread);    // its own priority or the highest that it inherits

#endif
