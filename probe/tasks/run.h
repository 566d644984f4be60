// SPDX-License-Identifier: MIT OR Apache-2.0
// run.h — a set of tasks from its first byte to the last of its stream.
#ifndef BACKWALL_PROBE_TASKS_RUN_H
#define BACKWALL_PROBE_TASKS_RUN_H

// Reads the set from the host (port_host_read). Returns an enum probe_exit.
int run_tasks(void);

#endif
