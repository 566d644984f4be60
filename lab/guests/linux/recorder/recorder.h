/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The ways to record what the kernel does, for what each costs. */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Ends the program with a line on the console. */
_Noreturn void record_fail(const char *what);

/* bpf.c */

/* Attaches a program to thread switches that writes a record of each into a ring that holds `events` of them. */
void bpf_begin(bool stack, uint64_t events);

/* How many it wrote. */
uint64_t bpf_written(void);

#endif
