// SPDX-License-Identifier: MIT OR Apache-2.0
// Answers every line: by `ok`, by `error` and the reason, or by the requested data.
#include "commands.h"

#include "capture.h"
#include "clocks.h"
#include "edges.h"
#include "pulses.h"
#include "serial.h"
#include "sump.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LINE_BYTES 64u
#define BLOCK_WORDS 2048u // words of a line in one answer
#define LENGTH_DIGITS 5u
#define FLAG_RUNNING 1u
#define FLAG_SPOILT 2u

static struct {
    char text[LINE_BYTES + 1];
    uint32_t length; // a length above LINE_BYTES: the line is too long
} commands_line;

// The answer to `EDGES?`, little-endian like the CPU; see wire/PICO.md.
static struct {
    uint32_t flags;
    uint32_t ticks_per_s;
    uint32_t age_us[2];
    struct {
        uint32_t first;
        uint32_t count;
    } lines[LINES_STAMPED];
} commands_block;

static uint32_t commands_words[LINES_STAMPED][BLOCK_WORDS];

static void commands_say(const char *text)
{
    serial_begin();
    serial_write(text, (uint32_t)strlen(text));
    serial_write("\n", 1);
    serial_end();
}

// Reads an integer and the character that must follow it. False if there is none, or it exceeds 32 bits.
static bool commands_number(const char **text, char behind, uint32_t *value)
{
    const char *at = *text;
    uint64_t number = 0;

    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
        if (number > UINT32_MAX)
            return false;
    }
    if (*at != behind)
        return false;
    *text = at + 1;
    *value = (uint32_t)number;
    return true;
}

static void commands_identify(const char *rest)
{
    (void)rest;
    commands_say("backwall,pico,0,1");
}

static void commands_run(const char *rest)
{
    uint32_t high_ticks;
    uint32_t low_ticks;
    uint32_t pulses;

    if (!commands_number(&rest, ',', &high_ticks) || !commands_number(&rest, ',', &low_ticks)
        || !commands_number(&rest, '\0', &pulses)) {
        commands_say("error RUN takes HIGH,LOW,PULSES, whole numbers of 32 bits");
    } else if (high_ticks < PULSES_HIGH_TICKS_MIN || low_ticks < PULSES_LOW_TICKS_MIN || pulses == 0) {
        commands_say("error high and low are at least 4 ticks, and pulses at least 1");
    } else {
        sump_reset();
        capture_start(high_ticks, low_ticks, pulses);
        commands_say("ok");
    }
}

static void commands_stop(const char *rest)
{
    (void)rest;
    capture_stop();
    commands_say("ok");
}

// "#5" and five digits: the number of bytes that follow (IEEE 488.2, 8.7.9).
static void commands_length(uint32_t bytes)
{
    char text[2 + LENGTH_DIGITS] = "#5";

    for (uint32_t digit = LENGTH_DIGITS; digit > 0; digit--) {
        text[1 + digit] = (char)('0' + bytes % 10);
        bytes /= 10;
    }
    serial_write(text, sizeof text);
}

// Reads the age first, so that every older edge is among those taken afterwards.
static uint32_t commands_collect(void)
{
    uint64_t age_us = capture_age_us();
    uint32_t bytes = sizeof commands_block;

    commands_block.flags = pulses_running() ? FLAG_RUNNING : 0;
    commands_block.ticks_per_s = CLOCKS_TICKS_PER_S;
    commands_block.age_us[0] = (uint32_t)age_us;
    commands_block.age_us[1] = (uint32_t)(age_us >> 32);
    for (uint32_t line = 0; line < LINES_STAMPED; line++) {
        uint32_t *first = &commands_block.lines[line].first;

        commands_block.lines[line].count = edges_take(line, commands_words[line], BLOCK_WORDS, first);
        bytes += commands_block.lines[line].count * (uint32_t)sizeof(uint32_t);
    }
    if (edges_spoilt())
        commands_block.flags |= FLAG_SPOILT;
    return bytes;
}

static void commands_edges(const char *rest)
{
    uint32_t bytes = commands_collect();

    (void)rest;
    serial_begin();
    commands_length(bytes);
    serial_write(&commands_block, sizeof commands_block);
    for (uint32_t line = 0; line < LINES_STAMPED; line++)
        serial_write(commands_words[line], commands_block.lines[line].count * (uint32_t)sizeof(uint32_t));
    serial_write("\n", 1);
    serial_end();
}

struct command {
    const char *name;
    void (*run)(const char *rest);
    bool has_words; // words follow the command's name
};

static const struct command commands[] = {
    {"*IDN?", commands_identify, false},
    {"RUN ", commands_run, true},
    {"EDGES?", commands_edges, false},
    {"STOP", commands_stop, false},
};

static void commands_do(const char *text)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        size_t length = strlen(commands[i].name);

        if (strncmp(text, commands[i].name, length) == 0 && (commands[i].has_words || text[length] == '\0')) {
            commands[i].run(text + length);
            return;
        }
    }
    commands_say("error unknown; known are *IDN?, RUN HIGH,LOW,PULSES, EDGES? and STOP");
}

void commands_reset(void)
{
    commands_line.length = 0;
}

void commands_take(uint8_t byte)
{
    uint32_t length = commands_line.length;

    if (byte != '\n' && byte != '\r') {
        if (length < LINE_BYTES)
            commands_line.text[length] = (char)byte;
        if (length <= LINE_BYTES)
            commands_line.length++;
        return;
    }
    commands_reset();
    if (length > LINE_BYTES) {
        commands_say("error the line is longer than 64 bytes");
    } else if (length > 0) {
        commands_line.text[length] = '\0';
        commands_do(commands_line.text);
    }
}
