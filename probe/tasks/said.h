// SPDX-License-Identifier: MIT OR Apache-2.0
// said.h — writes the jobs of all tasks, from their declaration to their totals. Only one thread may call it.
#ifndef BACKWALL_PROBE_TASKS_SAID_H
#define BACKWALL_PROBE_TASKS_SAID_H

#include "task.h"

void said_declare(const struct schedule *schedule, const struct task *tasks);
// Writes, for each task in order, every job up to the first one without a final result.
void said_jobs(struct task *tasks, uint32_t count);
// Writes the totals when everything has ended. False if due differs from what was written.
bool said_totals(const struct task *tasks, uint32_t count);

#endif
