// SPDX-License-Identifier: MIT OR Apache-2.0
// What a mutex's owner leaves behind.
#ifndef DETENT_MUTEXES_H
#define DETENT_MUTEXES_H

#include "core/thread.h"

void mutex_abandon_all(struct thread *thread); // gate closed, passes interrupts; it must take no more mutexes

#endif
