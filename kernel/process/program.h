// SPDX-License-Identifier: MIT OR Apache-2.0
// A program's file in the boot module.
#ifndef DETENT_PROCESS_PROGRAM_H
#define DETENT_PROCESS_PROGRAM_H

#include "process/process.h"

// Loads the program's file into the process and returns where it starts. False and an error if there is no such file or it is not
// a program.
bool program_load(struct process *process, const char *program, uint64_t *start);

#endif
