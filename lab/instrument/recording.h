/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The edge file: the edges that the scope saw, in the format of FORMAT.md. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stdint.h>

enum { RECORDING_VERSION = 1, HEADER_BYTES = 32, RECORD_BYTES = 16 };

/* Lines of the bench; FORMAT.md lists them. */
enum line {
    LINE_GENERATOR_A = 0,
    LINE_GENERATOR_B = 1,
    LINE_PORT_A = 16, /* plus the number of the bit in the data register of port A */
    LINE_PORT_B = 32, /* plus the number of the bit in the data register of port B */
    LINE_ARMED_A = 48,
    LINE_ARMED_B = 49,
    LINE_ADDRESS_A = 256, /* annotation: the address that generator A's pulse interrupted */
    LINE_ADDRESS_B = 257,
    LINE_USER = 258,   /* annotation: instructions in user mode up to the preceding edge */
    LINE_WAITED = 259, /* annotation: how long the CPU had waited by that edge */
    LINE_TOTAL_PULSES_A = 0xFFFC,
    LINE_TOTAL_PULSES_B = 0xFFFD,
    LINE_TOTAL_BYTES = 0xFFFE,
    LINE_END = 0xFFFF,
};

enum record_flag {
    FLAG_WARMUP = 1,      /* a stimulus before the measured part */
    FLAG_LATE = 2,        /* the emulator ran the generator later than at the planned instant */
    FLAG_ANNOTATION = 64, /* the record's `at` is not an instant */
    FLAG_FOOTER = 128,
};

/* The reason why a recording ended: the level of the LINE_END record. */
enum end_reason { END_COMPLETE = 1, END_LIMIT = 2, END_GUEST = 3, END_EMULATOR = 4, END_CHANNEL = 5 };

struct totals {
    uint64_t pulses[2];
    uint64_t channel_bytes;
};

/*
 * Creates the file and writes its header, or continues a file that recording_cut() has closed. On failure, prints one line on
 * standard error and returns false.
 */
bool recording_open(const char *path, bool resume);

/* Closes the file without a footer, so that another run can continue it. */
void recording_cut(void);

/* Appends one record; does nothing after recording_close(). */
void recording_add(uint64_t at_instructions, uint16_t line, uint8_t level, uint8_t flags, uint32_t aux);

/* Writes the footer and closes the file; only the first call does anything. `code` is the guest's exit code. */
void recording_close(uint64_t at_instructions, enum end_reason reason, uint32_t code, const struct totals *totals);

#endif
