// SPDX-License-Identifier: MIT OR Apache-2.0
// run.h — runs a set of tasks, from the first byte that it reads to the last byte of the stream.
#ifndef BACKWALL_PROBE_TASKS_RUN_H
#define BACKWALL_PROBE_TASKS_RUN_H

// Reads the set from the host (port_host_read). Returns an enum probe_exit.
int run_tasks(void);

#endif
