// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections of processes (section.c), and what of them the user's library knows (user/critsec.c).
#ifndef DETENT_PROCESS_SECTION_H
#define DETENT_PROCESS_SECTION_H

#define SECTION_CONTENDED (1u << 31) // in a section's word, above any id: who leaves it has to ask the kernel

// Results of section_enter; 0: refused, with an error.
#define SECTION_ENTERED 1
#define SECTION_AGAIN 2 // somebody else was faster

struct process;
void sections_close(struct process *process); // with the lock on all processes; nobody is in it any more

#endif
