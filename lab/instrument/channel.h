/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte channel out of the guest: an I/O port for bytes, and one to end the run (wire/connector.h). */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Opens the file for the bytes, to go on behind those in it where a run is continued; without a path they are counted and
 * not kept. False, with one line, if that fails.
 */
bool channel_open(const char *path, bool resume);

struct channel_calls {
    void (*ended)(uint8_t code); /* the guest ends the run with this exit code */
    void (*full)(void); /* the guest sends more than the limit; called once, and what is beyond it is dropped */
};

/* Lays the channel's ports over the guest's I/O space. The calls live as long as the machine. */
void channel_connect(const struct channel_calls *calls, uint64_t limit_bytes);

/* Writes out what is buffered. */
void channel_close(void);

/* Bytes the guest has sent so far, those that were dropped among them. */
uint64_t channel_bytes(void);

#endif
