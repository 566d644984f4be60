/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The interface between the files of the Linux guest, which runs as the first and only process. */
#ifndef GUEST_H
#define GUEST_H

#include "../bench/bench.h"

/*
 * interrupt_gpio.c or interrupt_pci.c: prepares the interrupt before a load of real-time priority starts, because the
 * kernel could not create the interrupt's threads after that.
 */
void interrupt_prepare(void);

/* boot.c: the first process's duties. */

/* Mounts the usual file systems and loads the modules in /modules in the order of their names. */
void boot_machine(void);

/* cost.c: programs whose instructions the instrument counts. */

/* Runs the programs of the list /programs, tells the host how many instructions each took, and ends the run. */
void programs_run(void);

/* operations.c: runs osbench with the words from words[0] on and ends the run. */
void operations_run(int count, char **words);

/* Sends the names and addresses of the kernel's functions through the instrument's channel. */
void names_tell(void);

/*
 * trace.c: starts a trace of the kernel. After this time, the guest sends the trace as text through the channel, and ends the
 * run.
 */
void trace_begin(unsigned milliseconds);

#endif
