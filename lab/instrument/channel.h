/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte channel out of the guest: a port for bytes, and one to end the run (wire/connector.h). */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Opens the file for the bytes; a continued run appends to it. Without a path the bytes are counted and not kept. On failure,
 * prints one line and returns false.
 */
bool channel_open(const char *path, bool resume);

struct channel_calls {
    void (*ended)(uint8_t code); /* the guest ends the run with this exit code */
    void (*full)(void); /* called once when the guest has sent more than the limit; bytes beyond it are dropped */
};

/* Maps the channel's ports over the guest's I/O space. The calls must live as long as the machine. */
void channel_connect(const struct channel_calls *calls, uint64_t limit_bytes);

/* Flushes the buffer. */
void channel_close(void);

/* Bytes that the guest has sent so far, including dropped ones. */
uint64_t channel_bytes(void);

#endif
