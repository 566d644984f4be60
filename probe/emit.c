// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes the records of the wire, and nothing else does.
//
// Records gather in a buffer and leave at emit_flush or when it is full. A write
// that fails ends the process with one line: without a host there is nobody to
// measure for, and a stream with a hole must not go on as if it were whole.
#include "emit.h"

#include "../wire/wire.h"
#include "exit.h"
#include "port/port.h"

#include <string.h>

#define EMIT_BYTES (2u * WIRE_PAYLOAD_BYTES_MAX)
#define EMIT_TEXT_BYTES_MAX 4096u // longer keys, values and notes are cut

static struct {
    unsigned char bytes[EMIT_BYTES];
    size_t used;
    uint64_t records;
    // The open block of samples; count 0 when there is none.
    struct wire_samples block;
    uint32_t block_points;
    uint64_t block_at[(WIRE_PAYLOAD_BYTES_MAX - sizeof(struct wire_samples)) / sizeof(uint64_t)];
} emit;

static void emit_out(void)
{
    const char *why = port_host_write(emit.bytes, emit.used);

    emit.used = 0;
    if (why) {
        port_complain(why);
        port_exit(PROBE_EXIT_FAILED);
    }
}

static void emit_bytes(const void *bytes, size_t count)
{
    memcpy(emit.bytes + emit.used, bytes, count);
    emit.used += count;
}

// Starts a record of a known size; its parts follow by emit_bytes.
static void emit_head(uint16_t type, size_t payload_bytes)
{
    struct wire_head head = {
        .type = type,
        .number = (uint16_t)emit.records++,
        .payload_bytes = (uint32_t)payload_bytes,
    };

    if (emit.used + sizeof head + payload_bytes > EMIT_BYTES)
        emit_out();
    emit_bytes(&head, sizeof head);
}

static void emit_block(void)
{
    size_t at_bytes = (size_t)emit.block.count * emit.block_points * sizeof(uint64_t);

    if (emit.block.count == 0)
        return;
    emit_head(WIRE_SAMPLES, sizeof emit.block + at_bytes);
    emit_bytes(&emit.block, sizeof emit.block);
    emit_bytes(emit.block_at, at_bytes);
    emit.block.count = 0;
}

static void emit_record(uint16_t type, const void *payload, size_t bytes)
{
    emit_block();
    emit_head(type, bytes);
    emit_bytes(payload, bytes);
}

static void emit_padding(size_t bytes)
{
    static const unsigned char zeros[8];

    emit_bytes(zeros, (8 - bytes % 8) % 8);
}

static size_t emit_text_bytes(const char *text)
{
    size_t bytes = strlen(text);

    if (bytes <= EMIT_TEXT_BYTES_MAX)
        return bytes;
    bytes = EMIT_TEXT_BYTES_MAX;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80) // not inside a UTF-8 character
        bytes--;
    return bytes;
}

void emit_name(char *field, const char *name)
{
    size_t bytes = strlen(name);

    memset(field, 0, WIRE_NAME_BYTES);
    memcpy(field, name, bytes < WIRE_NAME_BYTES ? bytes : WIRE_NAME_BYTES);
}

void emit_hello(void)
{
    struct wire_hello hello = {
        .magic = WIRE_MAGIC,
        .version = WIRE_VERSION,
        .device = port_device(),
        .clock_hz = port_clock_hz(),
        .unit = port_clock_unit(),
    };

    emit_name(hello.clock, port_clock_name());
    emit_record(WIRE_HELLO, &hello, sizeof hello);
}

void emit_text(const char *key, const char *value)
{
    size_t key_bytes = emit_text_bytes(key);
    size_t value_bytes = emit_text_bytes(value);
    size_t bytes = key_bytes + value_bytes;
    struct wire_text text = {.key_bytes = (uint32_t)key_bytes, .value_bytes = (uint32_t)value_bytes};

    emit_block();
    emit_head(WIRE_TEXT, sizeof text + (bytes + 7) / 8 * 8);
    emit_bytes(&text, sizeof text);
    emit_bytes(key, key_bytes);
    emit_bytes(value, value_bytes);
    emit_padding(bytes);
}

void emit_value(const char *name, uint64_t value)
{
    struct wire_value record = {.value = value};
    size_t bytes = strlen(name);

    memcpy(record.name, name, bytes < sizeof record.name ? bytes : sizeof record.name);
    emit_record(WIRE_VALUE, &record, sizeof record);
}

void emit_note(uint32_t severity, const char *text)
{
    size_t bytes = emit_text_bytes(text);
    struct wire_note note = {.severity = severity, .text_bytes = (uint32_t)bytes};

    emit_block();
    emit_head(WIRE_NOTE, sizeof note + (bytes + 7) / 8 * 8);
    emit_bytes(&note, sizeof note);
    emit_bytes(text, bytes);
    emit_padding(bytes);
}

void emit_series(const struct wire_series *series)
{
    emit_record(WIRE_SERIES, series, sizeof *series);
}

void emit_sample(uint32_t series, uint32_t points, uint32_t flags, uint64_t seq, const uint64_t *at)
{
    uint32_t room = (uint32_t)(sizeof emit.block_at / sizeof(uint64_t) / points);

    if (emit.block.count == room || emit.block.series != series || emit.block.flags != flags
        || emit.block.first_seq + emit.block.count != seq)
        emit_block();
    if (emit.block.count == 0) {
        emit.block = (struct wire_samples){.series = series, .first_seq = seq, .flags = flags};
        emit.block_points = points;
    }
    memcpy(emit.block_at + (size_t)emit.block.count * points, at, points * sizeof(uint64_t));
    emit.block.count++;
}

void emit_lost(uint32_t series, uint32_t reason, uint64_t first_seq, uint64_t count)
{
    struct wire_lost lost = {.series = series, .reason = reason, .first_seq = first_seq, .count = count};

    emit_record(WIRE_LOST, &lost, sizeof lost);
}

void emit_totals(uint32_t series, uint64_t due, uint64_t done, uint64_t lost)
{
    struct wire_totals totals = {.series = series, .due = due, .done = done, .lost = lost};

    emit_record(WIRE_TOTALS, &totals, sizeof totals);
}

void emit_load(uint32_t load, const char *name, const char *unit)
{
    struct wire_load record = {.load = load};

    emit_name(record.name, name);
    emit_name(record.unit, unit);
    emit_record(WIRE_LOAD, &record, sizeof record);
}

void emit_progress(uint32_t load, uint64_t at, uint64_t done)
{
    struct wire_progress progress = {.load = load, .at = at, .done = done};

    emit_record(WIRE_PROGRESS, &progress, sizeof progress);
}

void emit_end(uint32_t reason)
{
    struct wire_end_record end = {.reason = reason};

    emit_block();
    end.records = emit.records;
    emit_record(WIRE_END, &end, sizeof end);
    emit_out();
}

void emit_flush(void)
{
    emit_block();
    emit_out();
}
