// SPDX-License-Identifier: MIT OR Apache-2.0
// loadrun.h — runs a load in this process, from its first record to its last.
#ifndef BACKWALL_PROBE_LOADRUN_H
#define BACKWALL_PROBE_LOADRUN_H

struct plan;

// Returns an enum probe_exit.
int loadrun_run(const struct plan *plan);

#endif
