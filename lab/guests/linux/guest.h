/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The Linux guest: what its files owe each other. It runs as the first and only process of the guest. */
#ifndef GUEST_H
#define GUEST_H

#include "../bench/bench.h"

/* interrupt_gpio.c or interrupt_pci.c: what it takes to have the interrupt, before a load of real-time priority keeps the kernel's threads from being made. */
void interrupt_prepare(void);

/* boot.c: the first process's duties. */

/* Mounts what programs expect and loads the modules in /modules in the order of their names. */
void boot_machine(void);

/* cost.c: the instrument counts what programs execute. */

/* Runs the programs of the list /programs, tells the host what each took, and ends the run. */
void programs_run(void);

/* operations.c: osbench, whose words those from words[0] on are; ends the run. */
void operations_run(int count, char **words);

/* Sends the names and addresses of the kernel's functions through the instrument's channel. */
void names_tell(void);

/* trace.c: the kernel traces itself for so long from now on; then its text goes through the channel, and the run is over. */
void trace_begin(unsigned milliseconds);

#endif
