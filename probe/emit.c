// SPDX-License-Identifier: MIT OR Apache-2.0
// The only code that writes the stream's records.
//
// Records are buffered. emit_flush writes them, and so does a full buffer. A failed write ends the process with one
// line: without a host the measurement has no use, and a stream must not continue after a gap.
#include "emit.h"

#include "../wire/wire.h"
#include "exit.h"
#include "port/port.h"
#include "ring.h"

#include <string.h>

#define EMIT_BYTES (2u * WIRE_PAYLOAD_BYTES_MAX)
#define EMIT_BLOCKS RING_SERIES   // series whose samples can be collected at the same time
#define EMIT_BLOCK_BYTES 4096u    // size of a record of samples
#define EMIT_TEXT_BYTES_MAX 4096u // longer values and notes are cut, as are names longer than WIRE_NAME_BYTES_MAX

// Samples of one series that will become one record; head.count is 0 if there are none.
struct emit_block {
    struct wire_samples head;
    uint32_t points;
    uint64_t at[(EMIT_BLOCK_BYTES - sizeof(struct wire_samples)) / sizeof(uint64_t)];
};

static struct {
    unsigned char bytes[EMIT_BYTES];
    size_t used;
    uint64_t records;
    struct emit_block blocks[EMIT_BLOCKS];
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

// Starts a record of known size. Write its parts with emit_bytes.
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

static void emit_close(struct emit_block *block)
{
    size_t at_bytes = (size_t)block->head.count * block->points * sizeof(uint64_t);

    if (block->head.count == 0)
        return;
    emit_head(WIRE_SAMPLES, sizeof block->head + at_bytes);
    emit_bytes(&block->head, sizeof block->head);
    emit_bytes(block->at, at_bytes);
    block->head.count = 0;
}

static void emit_close_all(void)
{
    for (size_t i = 0; i < EMIT_BLOCKS; i++)
        emit_close(&emit.blocks[i]);
}

static void emit_record(uint16_t type, const void *payload, size_t bytes)
{
    emit_close_all();
    emit_head(type, bytes);
    emit_bytes(payload, bytes);
}

static size_t emit_text_bytes(const char *text, size_t bytes_max)
{
    size_t bytes = strlen(text);

    if (bytes <= bytes_max)
        return bytes;
    bytes = bytes_max;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80) // so that no UTF-8 character is cut
        bytes--;
    return bytes;
}

// A text without its NUL, as the stream contains it.
struct emit_text {
    const char *text;
    size_t bytes;
};

static struct emit_text emit_name(const char *name)
{
    return (struct emit_text){name, emit_text_bytes(name, WIRE_NAME_BYTES_MAX)};
}

static struct emit_text emit_long(const char *text)
{
    return (struct emit_text){text, emit_text_bytes(text, EMIT_TEXT_BYTES_MAX)};
}

// A record that ends with texts. Each is followed by a NUL; more NULs pad the record to a multiple of 8.
static void emit_with_texts(uint16_t type, const void *fixed, size_t fixed_bytes, const struct emit_text *texts,
                            size_t count)
{
    static const unsigned char zeros[8];
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += texts[i].bytes + 1;
    emit_close_all();
    emit_head(type, fixed_bytes + (bytes + 7) / 8 * 8);
    emit_bytes(fixed, fixed_bytes);
    for (size_t i = 0; i < count; i++) {
        emit_bytes(texts[i].text, texts[i].bytes);
        emit_bytes(zeros, 1);
    }
    emit_bytes(zeros, (8 - bytes % 8) % 8);
}

void emit_hello(void)
{
    struct wire_hello hello = {
        .magic = WIRE_MAGIC,
        .version = WIRE_VERSION,
        .unit = port_clock_unit(),
        .clock_hz = port_clock_hz(),
    };
    const struct emit_text texts[] = {emit_name(port_device()), emit_name(port_clock_name())};

    emit.records = 0; // another stream may follow
    emit_with_texts(WIRE_HELLO, &hello, sizeof hello, texts, 2);
}

void emit_text(const char *key, const char *value)
{
    const struct emit_text texts[] = {emit_name(key), emit_long(value)};

    emit_with_texts(WIRE_TEXT, "", 0, texts, 2);
}

void emit_value(uint32_t series, const char *name, uint64_t value)
{
    const struct wire_value record = {.series = series, .value = value};
    const struct emit_text text = emit_name(name);

    emit_with_texts(WIRE_VALUE, &record, sizeof record, &text, 1);
}

void emit_note(uint32_t severity, const char *text)
{
    const struct wire_note note = {.severity = severity};
    const struct emit_text sentence = emit_long(text);

    emit_with_texts(WIRE_NOTE, &note, sizeof note, &sentence, 1);
}

void emit_series(const struct wire_series *head, const char *name, const char *const *points, const char *const *fields)
{
    struct emit_text texts[1 + WIRE_POINTS_MAX + WIRE_FIELDS_MAX] = {emit_name(name)};
    size_t count = 1;

    for (uint32_t i = 0; i < head->points; i++)
        texts[count++] = emit_name(points[i]);
    for (uint32_t i = 0; i < head->fields; i++)
        texts[count++] = emit_name(fields[i]);
    emit_with_texts(WIRE_SERIES, head, sizeof *head, texts, count);
}

void emit_sample(uint32_t series, uint32_t points, uint32_t flags, uint64_t seq, const uint64_t *at)
{
    struct emit_block *block = &emit.blocks[series % EMIT_BLOCKS];
    uint32_t room = (uint32_t)(sizeof block->at / sizeof(uint64_t) / points);

    if (block->head.count == room || block->head.series != series || block->head.flags != flags
        || block->head.first_seq + block->head.count != seq)
        emit_close(block);
    if (block->head.count == 0) {
        block->head = (struct wire_samples){.series = series, .first_seq = seq, .flags = flags};
        block->points = points;
    }
    memcpy(block->at + (size_t)block->head.count * points, at, points * sizeof(uint64_t));
    block->head.count++;
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
    const struct wire_load record = {.load = load};
    const struct emit_text texts[] = {emit_name(name), emit_name(unit)};

    emit_with_texts(WIRE_LOAD, &record, sizeof record, texts, 2);
}

void emit_progress(uint32_t load, uint64_t at, uint64_t done)
{
    struct wire_progress progress = {.load = load, .at = at, .done = done};

    emit_record(WIRE_PROGRESS, &progress, sizeof progress);
}

void emit_end(uint32_t reason)
{
    struct wire_end_record end = {.reason = reason};

    emit_close_all();
    end.records = emit.records;
    emit_record(WIRE_END, &end, sizeof end);
    emit_out();
}

void emit_flush(void)
{
    emit_close_all();
    emit_out();
}
