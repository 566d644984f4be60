/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the `key=value` arguments from a table of keys. */
#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../wire/connector.h"

static const char *const SHAPES[] = {
    [TRAIN_PERIODIC] = "periodic", [TRAIN_BURST] = "burst",       [TRAIN_POISSON] = "poisson",   [TRAIN_RAMP] = "ramp",
    [TRAIN_MARK] = "mark",         [TRAIN_JITTERED] = "jittered", [TRAIN_TWO_TONE] = "two-tone",
};

struct number {
    const char *key;
    size_t offset;
    uint64_t least, most;
};

/* Periods are bounded so that products of two of them and a pulse count fit into 128 bits. */
static const uint64_t LONGEST = (uint64_t)1 << 40;
static const uint64_t MOST_PULSES = UINT32_MAX;

#define GENERATOR_NUMBER(key, field, least, most) \
    { \
        key, offsetof(struct generator_options, field), least, most \
    }

static const struct number GENERATOR_NUMBERS[] = {
    GENERATOR_NUMBER("period", train.period_instructions, 1, LONGEST),
    GENERATOR_NUMBER("step", train.step_instructions, 0, LONGEST),
    GENERATOR_NUMBER("last-period", train.last_period_instructions, SHORTEST_GAP_INSTRUCTIONS, LONGEST),
    GENERATOR_NUMBER("jitter", train.jitter_instructions, 0, LONGEST),
    GENERATOR_NUMBER("second-period", train.second_instructions, SHORTEST_GAP_INSTRUCTIONS, LONGEST),
    GENERATOR_NUMBER("pause", train.pause_instructions, SHORTEST_GAP_INSTRUCTIONS, LONGEST),
    GENERATOR_NUMBER("burst", train.burst, 1, MOST_PULSES),
    GENERATOR_NUMBER("pulses", train.pulses, 1, MOST_PULSES),
    GENERATOR_NUMBER("seed", train.random, 0, UINT64_MAX),
    GENERATOR_NUMBER("warmup", warmup, 0, MOST_PULSES),
    GENERATOR_NUMBER("duty-ppm", duty_ppm, 1, 999999),
    GENERATOR_NUMBER("start", start_instructions, 1, LONGEST),
    GENERATOR_NUMBER("delay", delay_instructions, 1, LONGEST),
    GENERATOR_NUMBER("armed", armed_instructions, 1, LONGEST),
    GENERATOR_NUMBER("data", data, 0, UINT8_MAX),
    GENERATOR_NUMBER("control", control, 0, UINT8_MAX),
    GENERATOR_NUMBER("mark-bit", mark_bit, 0, 7),
};

static const struct number COMMON_NUMBERS[] = {
    {"tail", offsetof(struct options, tail_instructions), 1, LONGEST},
    {"channel-limit", offsetof(struct options, channel_limit_bytes), 1, INT64_MAX},
    {"limit", offsetof(struct options, limit_instructions), 1, LONGEST},
    {"addresses", offsetof(struct options, addresses), 0, 1},
    {"count", offsetof(struct options, count), 0, 1},
    {"modes", offsetof(struct options, modes), 0, 1},
    {"pci", offsetof(struct options, pci), 0, 1},
    {"resume", offsetof(struct options, resume), 0, 1},
    {"trail-from", offsetof(struct options, trail_from_instructions), 1, LONGEST},
    {"stretches-least", offsetof(struct options, stretches_least_instructions), 0, LONGEST},
    {"trail-to", offsetof(struct options, trail_to_instructions), 1, LONGEST},
};

static bool number_parse(const struct number *number, void *into, const char *argument, const char *text)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    bool wrong = errno || end == text || *end || *text == '-' || value < number->least || value > number->most;
    if (wrong) {
        fprintf(stderr, "instrument: %s: expected a number from %llu to %llu\n", argument,
                (unsigned long long)number->least, (unsigned long long)number->most);
        return false;
    }
    memcpy((char *)into + number->offset, &value, sizeof value);
    return true;
}

static const struct number *number_find(const struct number *table, size_t count, const char *key, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(table[i].key) == length && memcmp(table[i].key, key, length) == 0)
            return &table[i];
    }
    return NULL;
}

static bool argument_refuse(const char *argument, const char *why)
{
    fprintf(stderr, "instrument: %s: %s\n", argument, why);
    return false;
}

static bool shape_parse(struct generator_options *generator, const char *argument, const char *text)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        if (strcmp(text, SHAPES[i]) == 0) {
            generator->train.shape = (enum train_shape)i;
            generator->used = true;
            return true;
        }
    }
    return argument_refuse(argument, "expected periodic, burst, poisson, ramp, mark, jittered or two-tone");
}

/* `key` is the text between "a-" or "b-" and the equals sign. */
static bool generator_parse(struct generator_options *generator, const char *argument, const char *key,
                            const char *text)
{
    size_t length = (size_t)(text - 1 - key);
    if (length == strlen("shape") && memcmp(key, "shape", length) == 0)
        return shape_parse(generator, argument, text);
    const struct number *number =
        number_find(GENERATOR_NUMBERS, sizeof GENERATOR_NUMBERS / sizeof GENERATOR_NUMBERS[0], key, length);
    return number ? number_parse(number, generator, argument, text) : argument_refuse(argument, "unknown option");
}

static const struct path {
    const char *key;
    size_t offset;
} PATHS[] = {
    {"edges", offsetof(struct options, edges_path)},         {"channel", offsetof(struct options, channel_path)},
    {"hold", offsetof(struct options, hold_path)},           {"trail", offsetof(struct options, trail_path)},
    {"stretches", offsetof(struct options, stretches_path)}, {"pause", offsetof(struct options, pause_path)},
};

/* Stores the argument if it is one of the paths; false if it is none of them. */
static bool path_take(struct options *options, const char *argument, size_t length)
{
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++) {
        if (strlen(PATHS[i].key) != length || memcmp(PATHS[i].key, argument, length) != 0)
            continue;
        const char *path = argument + length + 1;
        memcpy((char *)options + PATHS[i].offset, &path, sizeof path);
        return true;
    }
    return false;
}

static bool argument_parse(struct options *options, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals)
        return argument_refuse(argument, "expected key=value");
    size_t length = (size_t)(equals - argument);
    if (length > 2 && argument[1] == '-' && (argument[0] == 'a' || argument[0] == 'b'))
        return generator_parse(&options->generators[argument[0] - 'a'], argument, argument + 2, equals + 1);
    if (path_take(options, argument, length))
        return true;
    const struct number *number =
        number_find(COMMON_NUMBERS, sizeof COMMON_NUMBERS / sizeof COMMON_NUMBERS[0], argument, length);
    return number ? number_parse(number, options, argument, equals + 1) : argument_refuse(argument, "unknown option");
}

static const struct generator_options GENERATOR_DEFAULTS = {
    .train = {.period_instructions = 200000,
              .last_period_instructions = 200000,
              .pause_instructions = 200000,
              .second_instructions = 200000,
              .burst = 1,
              .pulses = 1},
    .duty_ppm = 200000,
    .mark_bit = __builtin_ctz(CONNECTOR_LINE_MARK),
};

bool options_parse(struct options *options, int count, char **arguments)
{
    *options = (struct options){.tail_instructions = 1000000, .channel_limit_bytes = 64 << 20};
    for (int i = 0; i < GENERATORS; i++)
        options->generators[i] = GENERATOR_DEFAULTS;
    for (int i = 0; i < count; i++) {
        if (!argument_parse(options, arguments[i]))
            return false;
    }
    for (int i = 0; i < GENERATORS; i++) {
        if (!options->generators[i].delay_instructions)
            options->generators[i].delay_instructions = options->generators[i].train.period_instructions;
    }
    if (!options->edges_path)
        return argument_refuse("edges=PATH", "missing");
    if (options->trail_path && options->trail_from_instructions >= options->trail_to_instructions)
        return argument_refuse("trail=PATH", "expected trail-from before trail-to");
    return true;
}
