// SPDX-License-Identifier: MIT OR Apache-2.0
// What the probe's port needs of the machine (board.h), for a process.
#ifndef DETENT_PROCESS_MACHINE_H
#define DETENT_PROCESS_MACHINE_H

void machine_begin(const char *profile_name); // call it once, before all other functions

#endif
