/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte channel out of the guest: an I/O port for bytes, and one to end the run (wire/connector.h). */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the file for the bytes; without a path they are counted and not kept. False, with one line, if that fails. */
bool channel_open(const char *path);

/* Lays the channel's ports over the guest's I/O space; `ended` hears the guest's exit code. */
void channel_connect(void (*ended)(uint8_t code));

/* Writes out what is buffered. */
void channel_close(void);

/* Bytes the guest has sent so far. */
uint64_t channel_bytes(void);

#endif
