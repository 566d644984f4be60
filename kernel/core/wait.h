// SPDX-License-Identifier: MIT OR Apache-2.0
// The functions that WaitForSingleObject and WaitForMultipleObjects share.
#ifndef DETENT_WAIT_H
#define DETENT_WAIT_H

#include "core/lock.h"
#include "core/object.h"
#include "core/waiters.h"

// Call these functions with the gate closed; they open it. They make the running thread wait for an unavailable object
// that nobody owns, or for a lock, and return the result of the wait.
DWORD wait_block(struct object *object, DWORD timeout_ms);
DWORD wait_block_lock(struct lock *lock, DWORD timeout_ms);

// Gate closed. Takes the object if it is available. *result is then the answer for this object alone.
bool object_poll(struct object *object, DWORD *result);
struct lock *object_lock_of(struct object *object); // NULL if the object has no owner

#endif
