/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the edge file in whole records. A reader recognises a truncated file by the missing footer. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20 };

/* One tick of the emulator's virtual clock, which is one instruction at `-icount shift=0`. */
static const uint64_t INSTRUCTIONS_PER_SECOND = 1000000000;

static FILE *file;

static void little_endian(unsigned char *into, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        into[i] = (unsigned char)(value >> (8 * i));
}

/* Ends the run, because half a recording is worse than none; the reader notices the missing footer. */
static void bytes_write(const unsigned char *bytes, size_t count)
{
    if (fwrite(bytes, 1, count, file) == count)
        return;
    fprintf(stderr, "instrument: cannot write the edge file: %s\n", strerror(errno));
    _Exit(EXIT_FAILURE);
}

static void header_write(void)
{
    unsigned char header[HEADER_BYTES] = "BWEDGES";
    little_endian(header + 8, RECORDING_VERSION, 2);
    little_endian(header + 10, HEADER_BYTES, 2);
    little_endian(header + 12, RECORD_BYTES, 2);
    little_endian(header + 16, INSTRUCTIONS_PER_SECOND, 8);
    bytes_write(header, sizeof header);
    fflush(file);
}

bool recording_open(const char *path, bool resume)
{
    file = fopen(path, resume ? "ab" : "wb");
    if (!file) {
        fprintf(stderr, "instrument: cannot create the edge file %s: %s\n", path, strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    if (!resume)
        header_write();
    return true;
}

static void file_finish(void)
{
    if (fclose(file) != 0) {
        fprintf(stderr, "instrument: cannot finish the edge file: %s\n", strerror(errno));
        _Exit(EXIT_FAILURE);
    }
    file = NULL;
}

void recording_cut(void)
{
    if (file)
        file_finish();
}

void recording_add(uint64_t at_instructions, uint16_t line, uint8_t level, uint8_t flags, uint32_t aux)
{
    unsigned char record[RECORD_BYTES];
    if (!file)
        return;
    little_endian(record, at_instructions, 8);
    little_endian(record + 8, line, 2);
    record[10] = level;
    record[11] = flags;
    little_endian(record + 12, aux, 4);
    bytes_write(record, sizeof record);
}

void recording_close(uint64_t at_instructions, enum end_reason reason, uint32_t code, const struct totals *totals)
{
    if (!file)
        return;
    recording_add(totals->pulses[0], LINE_TOTAL_PULSES_A, 0, FLAG_FOOTER, 0);
    recording_add(totals->pulses[1], LINE_TOTAL_PULSES_B, 0, FLAG_FOOTER, 0);
    recording_add(totals->channel_bytes, LINE_TOTAL_BYTES, 0, FLAG_FOOTER, 0);
    recording_add(at_instructions, LINE_END, (uint8_t)reason, FLAG_FOOTER, code);
    file_finish();
}
