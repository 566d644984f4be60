/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The guest's side of the bench. The files beside this one are the same lines of C on every system that runs the bench;
 * each guest adds what stands under "the system's own", and the probe's port.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../wire/connector.h"

/* lines.c: the connector's response lines, wire/connector.h. */

enum line {
    LINE_ISR = CONNECTOR_LINE_ISR,
    LINE_IST = CONNECTOR_LINE_IST,
    LINE_APP = CONNECTOR_LINE_APP,
    LINE_PROGRESS = CONNECTOR_LINE_PROGRESS
};

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

/* respond.c: IST_TEST and APP_TEST. */

struct respond_plan {
    unsigned ist_priority; /* real-time, 1 to 99, as the probe's port has them */
    unsigned app_priority;
};

/* Starts both threads and arms the port's interrupt; from then on every interrupt is answered. */
void respond_start(const struct respond_plan *plan);

/* background.c: the probe's loads, with their progress on a line. */

/*
 * Starts loads from the probe's table or the system's: NAME or NAME@PRIORITY, joined by "+"; "none" starts nothing. The
 * priority is real-time, 1 to 99, as the probe's port has it; without one, or with 0, a load is an ordinary thread.
 */
void background_start(const char *loads);

/* window.c: what Polygons draws on. */

struct port_screen;
const char *window_open(struct port_screen *screen);

/* options.c: what stands on the guest's command line. */

struct options {
    const char *load; /* for background_start */
    struct respond_plan respond;
    bool names;        /* tell the instrument the names of the kernel's functions */
    bool programs;     /* run programs that the instrument counts, and answer no interrupt */
    unsigned trace_ms; /* the kernel traces itself so long; 0: it does not */
};

/* The options before any word. */
extern const struct options OPTIONS_USUAL;

/* Reads a real-time priority, 0 to 99, which is all of `text`. A wrong one ends the run, naming `word`. */
unsigned priority_parse(const char *word, const char *text);

/* Takes a word that begins with "bench-"; false, with nothing done, if it does not. A wrong one ends the run. */
bool options_take(struct options *into, const char *word);

/* The system's own. */

/* Makes I/O instructions possible in this program; false if the kernel forbids it. */
bool ports_permit(void);
/* Opens the bench's interrupt for the calling thread and arms the generator. Returns NULL, or why it cannot. */
const char *interrupt_open(void);
/* Waits for the interrupt; false if there was none. */
bool interrupt_wait(void);
/* It is answered: the next one may come. */
void interrupt_done(void);
/* The calling thread becomes an ordinary one, no matter who started it. */
const char *thread_ordinary(void);
/* Threads of the calling thread's own priority get their turn. */
void thread_yield(void);
/* A load of this system alone, beside the probe's; NULL if there is none of that name. */
struct load;
const struct load *system_load(const char *name);
/* Prints one line on the console and ends the run. */
_Noreturn void boot_fail(const char *what, const char *why);

#endif
