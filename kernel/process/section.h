// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections of processes: the constants that the kernel (section.c) and the user's library (user/critsec.c) share.
#ifndef DETENT_PROCESS_SECTION_H
#define DETENT_PROCESS_SECTION_H

#define SECTION_CONTENDED (1u << 31) // in a section's word, above any thread id: leaving must call the kernel

// Results of section_enter; 0: refused, with an error.
#define SECTION_ENTERED 1
#define SECTION_AGAIN 2 // another thread was faster

struct process;
void sections_close(struct process *process); // call it with the lock on all processes, after the last thread

#endif
