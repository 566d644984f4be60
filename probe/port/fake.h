// SPDX-License-Identifier: MIT OR Apache-2.0
// fake.h — what the files of the scripted port share.
#ifndef BACKWALL_PORT_FAKE_H
#define BACKWALL_PORT_FAKE_H

#include <stdint.h>

// The scripted clock goes on.
void fake_pass(uint64_t counts);
// Of the calling thread; larger wins.
void fake_priority(unsigned priority);
// The calling thread sleeps: the other one, where it is ready, runs until it waits.
void fake_rest(void);

#endif
