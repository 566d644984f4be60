// SPDX-License-Identifier: MIT OR Apache-2.0
// Abandons the mutexes of an owner that ends.
#ifndef DETENT_MUTEXES_H
#define DETENT_MUTEXES_H

#include "core/thread.h"

void mutex_abandon_all(struct thread *thread); // gate closed, in steps; meanwhile the thread must take no mutex

#endif
