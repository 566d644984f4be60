// SPDX-License-Identifier: MIT OR Apache-2.0
// Operations that answer several waiting threads: setting or pulsing a manual-reset event, releasing a semaphore, the end of a
// thread.
//
// For a program, a broadcast is one instant: exactly the threads that wait at this instant are answered. An interrupt
// thread waits for one short step only. Both hold because the object stores how many answers it still owes, and because
// any other thread that uses the object meanwhile first gives these answers:
//
//     A pulses an event for which B, C and D wait: three are owed. B is made ready; an interrupt comes, A pauses and its
//     thread I runs. I waits for the same event: there is nothing to take, but answers are owed, so I makes C and D
//     ready and only then waits. A goes on: nothing is owed any more.
//
// While A pauses, it has the priority of the highest waiting thread, so only a thread above all of them can come in between. A
// thread that suspends A first completes A's broadcast. A timeout that is due in between counts as earlier than the broadcast.
// The gate must be closed. All of these functions may let other threads run, so afterwards a caller must repeat its lookups.
#ifndef DETENT_BROADCAST_H
#define DETENT_BROADCAST_H

#include "core/object.h"

#define BROADCAST_ALL UINT32_MAX

// Answers up to `limit` waiting threads, the highest first. If fewer threads wait for a semaphore, the difference is added to its
// count.
void broadcast(struct object *object, uint32_t limit);
void broadcast_finish(struct object *object); // gives the answers still owed, if a broadcast is in progress
struct object *object_at_rest(HANDLE handle); // completes a broadcast in progress; NULL if the handle is invalid

#endif
