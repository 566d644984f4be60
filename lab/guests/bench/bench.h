/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The bench's program in a guest. The C files in this folder are the same in every guest. Each guest adds the functions under
 * "The guest's own functions" and the probe's port.
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

/* Lets this process and its threads write to the port, and lowers all lines. False if the kernel forbids it. */
bool lines_open(void);

/*
 * Raises, lowers or toggles one line at once. Each line belongs to one thread, and the threads that can interrupt it do not
 * change its line, so the copy of the register needs no lock. The order of the writes keeps each rise exact.
 */
void line_raise(enum line line);
void line_lower(enum line line);
void line_toggle(enum line line);

/* Sends bytes to the instrument's channel. */
void lines_send(const void *bytes, size_t count);

/* Tells the instrument that the run is over; returns if there is no instrument. */
void lines_end(uint8_t code);

/* respond.c: IST_TEST and APP_TEST. */

struct respond_plan {
    unsigned ist_priority; /* real-time, 1 to 99, as in the probe's port */
    unsigned app_priority;
};

/* Starts both threads and arms the port's interrupt; from then on they answer every interrupt. */
void respond_start(const struct respond_plan *plan);

/* background.c: loads, which show their progress on a line. */

/*
 * Starts loads from the probe's table or the guest's: NAME or NAME@PRIORITY, joined by "+"; "none" starts nothing. PRIORITY is
 * real-time, 1 to 99, as in the probe's port. Without it, or with 0, the load is an ordinary thread.
 */
void background_start(const char *loads);

/* window.c: the screen that Polygons draws on. */

struct port_screen;
const char *window_open(struct port_screen *screen);

/* options.c: the options on the guest's command line. */

struct options {
    const char *load; /* for background_start */
    struct respond_plan respond;
    bool names;        /* send the names of the kernel's functions to the instrument */
    bool programs;     /* run programs whose instructions the instrument counts, and answer no interrupt */
    unsigned trace_ms; /* how long the kernel traces itself; 0: no trace */
};

/* The defaults. */
extern const struct options OPTIONS_USUAL;

/* Reads a real-time priority, 0 to 99, from the whole of `text`. A wrong one ends the run with a message that names `word`. */
unsigned priority_parse(const char *word, const char *text);

/* Takes a word that begins with "bench-"; a wrong option ends the run. Ignores any other word and returns false. */
bool options_take(struct options *into, const char *word);

/* The guest's own functions. */

/* Allows I/O instructions in this program; false if the kernel forbids it. */
bool ports_permit(void);
/* Opens the bench's interrupt for the calling thread and arms the generator. Returns NULL, or the reason why it cannot. */
const char *interrupt_open(void);
/* Waits for the interrupt; false if none came. */
bool interrupt_wait(void);
/* Call it when the interrupt has been answered: allows the next one. */
void interrupt_done(void);
/* Makes the calling thread an ordinary one, whatever priority it inherited. */
const char *thread_ordinary(void);
/* Lets other threads of the calling thread's priority run. */
void thread_yield(void);
/* The load of that name that only this guest has; NULL if there is none. */
struct load;
const struct load *system_load(const char *name);
/* Prints one line on the console and ends the run. */
_Noreturn void boot_fail(const char *what, const char *why);

#endif
