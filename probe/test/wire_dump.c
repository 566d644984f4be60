// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a stream of version 2 from standard input by the rules of wire/FORMAT.md and prints one line for each record.
//
// It is a second reader, independent of the host's. Both must read what the texts in wire/golden say about the streams
// there. At the first broken rule it exits with 1.
#include "../../wire/wire.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MAX 256

static union {
    unsigned char bytes[WIRE_PAYLOAD_BYTES_MAX];
    struct wire_hello hello;
    struct wire_series series;
    struct wire_samples samples;
    struct wire_lost lost;
    struct wire_load load;
    struct wire_progress progress;
    struct wire_value value;
    struct wire_note note;
    struct wire_totals totals;
    struct wire_end_record end;
} payload;

static struct {
    bool declared;
    uint32_t points;
    uint64_t next_seq;
    uint64_t done;
    uint64_t lost;
} series[SERIES_MAX];

static uint64_t records; // records read so far
static uint64_t offset;  // offset of the record being read
static bool loads[SERIES_MAX];

static void require(bool truth, const char *rule)
{
    if (truth)
        return;
    fprintf(stderr, "record %" PRIu64 " at offset %" PRIu64 ": %s\n", records, offset, rule);
    exit(1);
}

// The `count` texts that follow the `fixed` bytes of a payload of `bytes`. None is empty, except the last one if it may be.
static void texts(uint32_t bytes, size_t fixed, const char **found, size_t count, bool last_may_be_empty)
{
    size_t at = fixed;

    require(bytes >= fixed, "the payload is too short");
    for (size_t i = 0; i < count; i++) {
        size_t start = at;

        while (at < bytes && payload.bytes[at] != 0)
            at++;
        require(at < bytes, "a text has no end");
        require(at > start || (last_may_be_empty && i + 1 == count), "a name is empty");
        found[i] = (const char *)payload.bytes + start;
        at++;
    }
    require(bytes - at < 8, "the payload is too long");
    for (; at < bytes; at++)
        require(payload.bytes[at] == 0, "the padding is not NUL");
}

static void dump_hello(uint32_t bytes)
{
    const struct wire_hello *hello = &payload.hello;
    const char *found[2];

    texts(bytes, sizeof *hello, found, 2, false);
    require(hello->magic == WIRE_MAGIC, "not a HELLO");
    require(hello->version == WIRE_VERSION && hello->clock_hz != 0, "HELLO holds a bad field");
    printf("HELLO version=%u device=%s clock_hz=%" PRIu64 " unit=%u clock=%s\n", hello->version, found[0],
           hello->clock_hz, hello->unit, found[1]);
}

static void dump_text(uint32_t bytes)
{
    const char *found[2];

    texts(bytes, 0, found, 2, true);
    printf("TEXT %s=%s\n", found[0], found[1]);
}

// The text for the number of a CPU or of a series, either of which may be none.
static const char *or_none(uint32_t number)
{
    static char text[16];

    snprintf(text, sizeof text, "%u", number);
    return number == WIRE_NONE ? "none" : text;
}

static void dump_series(uint32_t bytes)
{
    const struct wire_series *one = &payload.series;
    const char *found[1 + WIRE_POINTS_MAX + WIRE_FIELDS_MAX];

    require(bytes >= sizeof *one && one->series < SERIES_MAX && one->reserved == 0, "SERIES holds a bad field");
    require(!series[one->series].declared, "a series is declared twice");
    require(one->points >= 2 && one->points <= WIRE_POINTS_MAX, "SERIES has a wrong number of points");
    require(one->fields <= WIRE_FIELDS_MAX, "SERIES has too many fields");
    require(one->period != 0 || (one->first_at == 0 && one->overrun == 0), "a series without a period has a schedule");
    texts(bytes, sizeof *one, found, 1 + one->points + one->fields, false);
    series[one->series].declared = true;
    series[one->series].points = one->points;
    printf("SERIES %u name=%s period=%" PRIu64 " deadline=%" PRIu64 " first_at=%" PRIu64 " overrun=%u cpu=%s points=",
           one->series, found[0], one->period, one->deadline, one->first_at, one->overrun, or_none(one->cpu));
    for (uint32_t i = 0; i < one->points; i++)
        printf("%s%s", i ? "," : "", found[1 + i]);
    for (uint32_t i = 0; i < one->fields; i++)
        printf(" %s", found[1 + one->points + i]);
    printf("\n");
}

static void advance(uint32_t number, uint64_t first_seq, uint64_t count)
{
    require(number < SERIES_MAX && series[number].declared, "a series is used before it is declared");
    require(count != 0 && first_seq == series[number].next_seq, "seq has a gap or goes back");
    series[number].next_seq += count;
}

static void dump_samples(uint32_t bytes)
{
    const struct wire_samples *block = &payload.samples;
    const uint64_t *at = (const uint64_t *)(payload.bytes + sizeof *block);

    require(bytes >= sizeof *block && block->reserved == 0, "SAMPLES holds a bad field");
    advance(block->series, block->first_seq, block->count);
    uint32_t points = series[block->series].points;

    require(bytes == sizeof *block + (uint64_t)block->count * points * 8, "SAMPLES has a wrong length");
    series[block->series].done += block->count;
    printf("SAMPLES %u first_seq=%" PRIu64 " flags=%u count=%u\n", block->series, block->first_seq, block->flags,
           block->count);
    for (uint32_t i = 0; i < block->count; i++) {
        printf(" %" PRIu64 ":", block->first_seq + i);
        for (uint32_t point = 0; point < points; point++)
            printf(" %" PRIu64, at[(size_t)i * points + point]);
        printf("\n");
    }
}

static void dump_lost(uint32_t bytes)
{
    const struct wire_lost *lost = &payload.lost;

    require(bytes == sizeof *lost, "LOST has a wrong length");
    advance(lost->series, lost->first_seq, lost->count);
    series[lost->series].lost += lost->count;
    printf("LOST %u reason=%u first_seq=%" PRIu64 " count=%" PRIu64 "\n", lost->series, lost->reason, lost->first_seq,
           lost->count);
}

static void dump_load(uint32_t bytes)
{
    const struct wire_load *load = &payload.load;
    const char *found[2];

    texts(bytes, sizeof *load, found, 2, false);
    require(load->load < SERIES_MAX && load->reserved == 0, "LOAD holds a bad field");
    require(!loads[load->load], "a load is declared twice");
    loads[load->load] = true;
    printf("LOAD %u name=%s unit=%s\n", load->load, found[0], found[1]);
}

static void dump_progress(uint32_t bytes)
{
    const struct wire_progress *progress = &payload.progress;

    require(bytes == sizeof *progress && progress->reserved == 0, "PROGRESS holds a bad field");
    require(progress->load < SERIES_MAX && loads[progress->load], "a load is used before it is declared");
    printf("PROGRESS %u at=%" PRIu64 " done=%" PRIu64 "\n", progress->load, progress->at, progress->done);
}

static void dump_value(uint32_t bytes)
{
    const struct wire_value *value = &payload.value;
    const char *name;

    texts(bytes, sizeof *value, &name, 1, false);
    require(value->reserved == 0, "VALUE holds a bad field");
    require(value->series == WIRE_NONE || (value->series < SERIES_MAX && series[value->series].declared),
            "VALUE about an unknown series");
    printf("VALUE %s series=%s value=%" PRIu64 "\n", name, or_none(value->series), value->value);
}

static void dump_note(uint32_t bytes)
{
    const char *text;

    texts(bytes, sizeof payload.note, &text, 1, true);
    require(payload.note.reserved == 0, "NOTE holds a bad field");
    printf("NOTE severity=%u %s\n", payload.note.severity, text);
}

static void dump_totals(uint32_t bytes)
{
    const struct wire_totals *totals = &payload.totals;

    require(bytes == sizeof *totals && totals->reserved == 0, "TOTALS holds a bad field");
    require(totals->series < SERIES_MAX && series[totals->series].declared, "TOTALS of an unknown series");
    require(totals->due == totals->done + totals->lost, "due is not done + lost");
    require(totals->done == series[totals->series].done && totals->lost == series[totals->series].lost,
            "TOTALS does not agree with the samples");
    printf("TOTALS %u due=%" PRIu64 " done=%" PRIu64 " lost=%" PRIu64 "\n", totals->series, totals->due, totals->done,
           totals->lost);
}

static void dump_end(uint32_t bytes)
{
    require(bytes == sizeof payload.end && payload.end.reserved == 0, "END holds a bad field");
    require(payload.end.records == records, "END counts the records wrongly");
    printf("END reason=%u records=%" PRIu64 "\n", payload.end.reason, payload.end.records);
}

static void (*const DUMPS[])(uint32_t bytes) = {
    [WIRE_HELLO] = dump_hello,       [WIRE_TEXT] = dump_text,   [WIRE_SERIES] = dump_series,
    [WIRE_SAMPLES] = dump_samples,   [WIRE_LOST] = dump_lost,   [WIRE_LOAD] = dump_load,
    [WIRE_PROGRESS] = dump_progress, [WIRE_VALUE] = dump_value, [WIRE_NOTE] = dump_note,
    [WIRE_TOTALS] = dump_totals,     [WIRE_END] = dump_end,
};

// Returns the type of the record, 0 at the end of the input.
static uint16_t dump_record(void)
{
    struct wire_head head;
    size_t got = fread(&head, 1, sizeof head, stdin);

    if (got == 0)
        return 0;
    require(got == sizeof head, "the head is cut");
    require(head.number == (uint16_t)records, "a record is missing");
    require((head.type == WIRE_HELLO) == (records == 0), "HELLO is not the first record, or comes twice");
    require(head.payload_bytes % 8 == 0 && head.payload_bytes <= WIRE_PAYLOAD_BYTES_MAX, "the payload's length is bad");
    require(fread(&payload, 1, head.payload_bytes, stdin) == head.payload_bytes, "the payload is cut");
    if (head.type >= WIRE_HELLO && head.type <= WIRE_END)
        DUMPS[head.type](head.payload_bytes);
    else
        printf("UNKNOWN type=%u bytes=%u\n", head.type, head.payload_bytes);
    offset += sizeof head + head.payload_bytes;
    records++;
    return head.type;
}

int main(void)
{
    uint16_t type;
    uint16_t last = 0;

    while ((type = dump_record()) != 0) {
        require(last != WIRE_END, "a record follows END");
        last = type;
    }
    require(last == WIRE_END, "the stream is truncated");
    return 0;
}
