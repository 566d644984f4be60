// SPDX-License-Identifier: MIT OR Apache-2.0
// What a mutex's owner leaves behind.
#ifndef DETENT_MUTEXES_H
#define DETENT_MUTEXES_H

#include "core/thread.h"

void mutex_abandon_all(struct thread *thread); // gate closed; it passes interrupts. The thread takes no more

#endif
