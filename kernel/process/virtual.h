// SPDX-License-Identifier: MIT OR Apache-2.0
// Views of shared memory.
#ifndef DETENT_PROCESS_VIRTUAL_H
#define DETENT_PROCESS_VIRTUAL_H

#include "process/process.h"

void views_close(struct process *process); // closes all views of a process whose tables are already freed

#endif
