// SPDX-License-Identifier: MIT OR Apache-2.0
// handoff.h — two threads that wake each other.
#ifndef BACKWALL_PROBE_LOAD_HANDOFF_H
#define BACKWALL_PROBE_LOAD_HANDOFF_H

#include <stdint.h>

struct load_run;

// Threads `which` and `which ^ 1` set each other's event in turn. A wait that times out is repeated.
void handoff_alternate(struct load_run *run, unsigned which, uint64_t timeout_ns);

#endif
