// SPDX-License-Identifier: MIT OR Apache-2.0
// A program's file in the boot module.
#ifndef DETENT_PROCESS_PROGRAM_H
#define DETENT_PROCESS_PROGRAM_H

#include "process/process.h"

// The program's file as the process's image, and where it begins; false and an error when there is none or it is no program.
bool program_load(struct process *process, const char *program, uint64_t *start);

#endif
