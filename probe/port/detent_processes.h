// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent, in user mode: the arguments for the program's other processes. The process id of the first process follows
// each.
#ifndef BACKWALL_PORT_DETENT_PROCESSES_H
#define BACKWALL_PORT_DETENT_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#define DETENT_PARTNER "partner"
#define DETENT_SPAWNED "spawned"

// Does what the first process has requested; returns when that is done.
void detent_process_run(uint32_t owner, bool partner);
void detent_server_close(void); // this process calls no server any more

#endif
