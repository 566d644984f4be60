// SPDX-License-Identifier: MIT OR Apache-2.0
// Creates threads.
#ifndef DETENT_CREATE_H
#define DETENT_CREATE_H

#include "core/thread.h"

HANDLE thread_create(LPTHREAD_START_ROUTINE start, LPVOID argument, uint32_t priority, bool suspended);
_Noreturn void thread_begin(void); // where a new thread starts; gate closed

#endif
