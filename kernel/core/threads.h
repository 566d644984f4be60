// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads by their handles.
#ifndef DETENT_THREADS_H
#define DETENT_THREADS_H

#include "core/thread.h"

// Gate closed; NULL when it is none. GetCurrentThread's handle is found too.
struct thread *thread_find(HANDLE handle);
// The same, of a thread that does not pause within a broadcast, or its rest is done first: it keeps nobody waiting then.
struct thread *thread_at_rest(HANDLE handle);

#endif
