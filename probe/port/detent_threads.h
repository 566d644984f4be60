// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: threads, as its port's other files make them.
#ifndef BACKWALL_PORT_DETENT_THREADS_H
#define BACKWALL_PORT_DETENT_THREADS_H

#include "detent.h"

// A thread that runs with the caller's priority; who calls closes its handle. NULL when there are no more, and *refusal says so.
HANDLE detent_thread_make(void (*run)(void *argument), void *argument, const char **refusal);

#endif
