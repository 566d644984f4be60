/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The ways to record what the kernel does. The lab measures the cost of each way. */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Prints a line on the console and ends the program. */
_Noreturn void record_fail(const char *what);

/* Defined in bpf.c: */

/* Attaches a program to thread switches that writes a record of each one into a ring with room for `events` records. */
void bpf_begin(bool stack, uint64_t events);

/* How many records the program wrote. */
uint64_t bpf_written(void);

#endif
