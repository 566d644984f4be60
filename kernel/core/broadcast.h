// SPDX-License-Identifier: MIT OR Apache-2.0
// Answering many at once: a manual-reset event set or pulsed, a semaphore's count given, a thread's end.
//
// To the program a broadcast is one instant: who waits then is answered, and nobody else. To the interrupt threads it
// is many short steps. Both hold because the object says how many answers it still owes, and because any thread that comes to
// the object meanwhile gives them first:
//
//     A pulses an event for which B, C and D wait: three are owed. B is made ready; an interrupt comes, A pauses and its
//     thread I runs. I waits for the same event: there is nothing to take, but answers are owed, so I makes C and D
//     ready and only then takes its place. A goes on: nothing is owed any more.
//
// Only one above all who are owed can come between: while it pauses, A stands at the priority of the highest of them. A
// thread that suspends A does A's rest first. A timeout that falls due between counts as earlier than the broadcast.
// The gate must be closed. All of it may pause, so what a caller has looked up before, it must look up again.
#ifndef DETENT_BROADCAST_H
#define DETENT_BROADCAST_H

#include "core/object.h"

#define BROADCAST_ALL UINT32_MAX

// Answers up to `limit` waiting threads, the highest first. What is left of a semaphore's limit is added to its count.
void broadcast(struct object *object, uint32_t limit);
void broadcast_finish(struct object *object); // gives the answers still owed, if a broadcast is in progress
struct object *object_at_rest(HANDLE handle); // after ending a broadcast in progress; NULL if the handle is invalid

#endif
