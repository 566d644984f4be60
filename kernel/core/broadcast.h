// SPDX-License-Identifier: MIT OR Apache-2.0
// Operations that answer several waiting threads: setting or pulsing a manual-reset event, releasing a semaphore, the end of a
// thread.
//
// For the program a broadcast is one instant: it answers exactly the threads that wait then. For the interrupt threads it is many
// short steps. Both hold because the object stores how many answers it still owes, and because any other thread that uses the
// object meanwhile gives them first:
//
//     A pulses an event for which B, C and D wait: three are owed. B is made ready; an interrupt comes, A pauses and its
//     thread I runs. I waits for the same event: there is nothing to take, but answers are owed, so I makes C and D
//     ready and only then takes its place. A goes on: nothing is owed any more.
//
// Only a thread above all waiting ones can come in between: while A pauses, A has the priority of the highest of them. A thread
// that suspends A first completes A's broadcast. A timeout that falls due in between counts as earlier than the broadcast. The
// gate must be closed. All of these functions may pause, so a caller must repeat its earlier lookups.
#ifndef DETENT_BROADCAST_H
#define DETENT_BROADCAST_H

#include "core/object.h"

#define BROADCAST_ALL UINT32_MAX

// Answers up to `limit` waiting threads, the highest first. What is left of a semaphore's limit is added to its count.
void broadcast(struct object *object, uint32_t limit);
void broadcast_finish(struct object *object); // gives the answers still owed, if a broadcast is in progress
struct object *object_at_rest(HANDLE handle); // after ending a broadcast in progress; NULL if the handle is invalid

#endif
