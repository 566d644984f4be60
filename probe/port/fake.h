// SPDX-License-Identifier: MIT OR Apache-2.0
// fake.h — functions that the files of the scripted port share.
#ifndef BACKWALL_PORT_FAKE_H
#define BACKWALL_PORT_FAKE_H

#include <stdint.h>

// Advances the scripted clock.
void fake_pass(uint64_t counts);
// Priority of the calling thread; a larger one wins.
void fake_priority(unsigned priority);
// The calling thread sleeps. If the other thread is ready, that one runs until it waits.
void fake_rest(void);

#endif
