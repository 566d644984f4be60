// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds threads by their handles.
#ifndef DETENT_THREADS_H
#define DETENT_THREADS_H

#include "core/thread.h"

// Gate closed; NULL if the handle is not a thread's. The pseudo-handle of GetCurrentThread is found too.
struct thread *thread_find(HANDLE handle);
// Like thread_find, but first completes a broadcast in which the thread has paused, so that no other thread waits for
// that broadcast.
struct thread *thread_at_rest(HANDLE handle);

#endif
