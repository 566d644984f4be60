/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The Linux side of the bench: what its files owe each other. It runs as the first and only process of the guest. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* lines.c: the output lines, bits of the parallel port's data register. */

enum line { LINE_IST = 1 << 1, LINE_APP = 1 << 2, LINE_PROGRESS = 1 << 3 };

/* Lets this process and its threads write to the port, all lines low. False if the kernel forbids it. */
bool lines_open(void);

/*
 * Raises or lowers one line at once. Each line belongs to one thread, and a thread is only ever interrupted by one that
 * leaves its own line low, so the shadow of the register needs no lock; the order of writes keeps each rise exact.
 */
void line_raise(enum line line);
void line_lower(enum line line);
void line_toggle(enum line line);

/* Hands bytes to the instrument's channel. */
void lines_send(const void *bytes, size_t count);

/* Tells the instrument that the run is over; returns if there is none. */
void lines_end(uint8_t code);

/* boot.c: the first process's duties. */

/* Mounts what programs expect and loads the modules in /modules in the order of their names. */
void boot_machine(void);

/* Prints one line on the console and ends the run. */
_Noreturn void boot_fail(const char *what, const char *why);

/* Sends the names and addresses of the kernel's functions through the instrument's channel. */
void names_tell(void);

/* respond.c: IST_TEST and APP_TEST. */

struct respond_plan {
    unsigned ist_priority; /* SCHED_FIFO, 1 to 99 */
    unsigned app_priority;
};

/* Starts both threads and arms the port's interrupt; from then on every interrupt is answered. */
void respond_start(const struct respond_plan *plan);

/* background.c: the probe's loads, with their progress on a line. */

/*
 * Starts the loads `names` from the probe's table, joined by "+", at SCHED_FIFO `priority`, or as ordinary threads with
 * 0; "none" starts nothing.
 */
void background_start(const char *names, unsigned priority);

#endif
