/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The byte channel. The guest sends bytes to the first port, in units of 1, 2 or 4. The instrument writes them to a
 * file in the same order.
 *
 * A read of the port tells the guest that there is an instrument. A byte written to the last port ends the run, with that byte as
 * the guest's exit code.
 */
#include "channel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../wire/connector.h"
#include "../machine/machine.h"
#include "emulator.h"

enum { PORTS = 8, REGISTER_END = CONNECTOR_END_PORT - CONNECTOR_CHANNEL_PORT, BUFFER_BYTES = 1 << 20 };

static FILE *file;
static uint64_t count_bytes;
static uint64_t limit;
static const struct channel_calls *calls;
static struct emulator_region region;

bool channel_open(const char *path, bool resume)
{
    if (!path)
        return true;
    file = fopen(path, resume ? "ab" : "wb");
    if (!file) {
        fprintf(stderr, "instrument: cannot create the channel file %s: %s\n", path, strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    /* A stream opened for appending does not start at the end of the file. */
    if (fseek(file, 0, SEEK_END) == 0)
        count_bytes = (uint64_t)ftell(file);
    return true;
}

static void channel_write(void *opaque, uint64_t offset, uint64_t value, unsigned bytes)
{
    (void)opaque;
    if (offset == REGISTER_END) {
        calls->ended((uint8_t)value);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        if (count_bytes++ < limit && file)
            putc((int)(value >> (8 * i) & 0xFF), file);
        if (count_bytes == limit + 1)
            calls->full();
    }
}

static uint64_t channel_read(void *opaque, uint64_t offset, unsigned bytes)
{
    (void)opaque;
    (void)offset;
    (void)bytes;
    return CONNECTOR_PRESENT;
}

static const struct emulator_region_ops CHANNEL_OPS = {
    .read = channel_read,
    .write = channel_write,
    .valid = {.min_bytes = 1, .max_bytes = 4},
    .implemented = {.min_bytes = 1, .max_bytes = 4},
};

void channel_connect(const struct channel_calls *heard, uint64_t limit_bytes)
{
    calls = heard;
    limit = limit_bytes;
    machine_connect(&region, CONNECTOR_CHANNEL_PORT, PORTS, &CHANNEL_OPS, NULL, "backwall-channel");
}

void channel_close(void)
{
    if (file && fclose(file) != 0)
        fprintf(stderr, "instrument: cannot finish the channel file: %s\n", strerror(errno));
    file = NULL;
}

uint64_t channel_bytes(void)
{
    return count_bytes;
}
