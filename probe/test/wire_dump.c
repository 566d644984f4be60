// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a stream from standard input by the rules of wire/FORMAT.md and prints one line a record.
//
// A second reader beside the host's: the text in wire/golden is what both must
// find in the streams there. The first broken rule ends it with exit 1.
#include "../../wire/wire.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MAX 16

static union {
    unsigned char bytes[WIRE_PAYLOAD_BYTES_MAX];
    struct wire_hello hello;
    struct wire_text text;
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

static uint64_t records; // read so far
static uint64_t offset;  // of the record being read
static bool loads[SERIES_MAX];

static void require(bool truth, const char *rule)
{
    if (truth)
        return;
    fprintf(stderr, "record %" PRIu64 " at offset %" PRIu64 ": %s\n", records, offset, rule);
    exit(1);
}

// A name of a field that need not end with NUL.
static const char *name(const char *field, size_t bytes)
{
    static char names[12][40];
    static unsigned turn;
    char *copy = names[turn++ % 12];

    memset(copy, 0, sizeof names[0]);
    memcpy(copy, field, bytes);
    return copy;
}

static void dump_hello(uint32_t bytes)
{
    const struct wire_hello *hello = &payload.hello;

    require(bytes == sizeof *hello && hello->magic == WIRE_MAGIC, "not a HELLO");
    require(hello->version == WIRE_VERSION && hello->clock_hz != 0 && hello->reserved == 0, "HELLO holds a bad field");
    printf("HELLO version=%u device=%u clock_hz=%" PRIu64 " unit=%u clock=%s\n", hello->version, hello->device,
           hello->clock_hz, hello->unit, name(hello->clock, WIRE_NAME_BYTES));
}

static void dump_text(uint32_t bytes)
{
    uint64_t used = (uint64_t)payload.text.key_bytes + payload.text.value_bytes;
    const char *key = (const char *)payload.bytes + sizeof payload.text;

    require(bytes == sizeof payload.text + (used + 7) / 8 * 8, "TEXT has a wrong length");
    printf("TEXT %.*s=%.*s\n", (int)payload.text.key_bytes, key, (int)payload.text.value_bytes,
           key + payload.text.key_bytes);
}

static void dump_series(uint32_t bytes)
{
    const struct wire_series *one = &payload.series;

    require(bytes == sizeof *one && one->series < SERIES_MAX && one->reserved == 0, "SERIES holds a bad field");
    require(!series[one->series].declared, "a series is declared twice");
    require(one->points >= 2 && one->points <= WIRE_POINTS_MAX, "SERIES has a wrong number of points");
    series[one->series].declared = true;
    series[one->series].points = one->points;
    printf("SERIES %u name=%s period=%" PRIu64 " deadline=%" PRIu64 " first_at=%" PRIu64 " overrun=%u points=",
           one->series, name(one->name, WIRE_NAME_BYTES), one->period, one->deadline, one->first_at, one->overrun);
    for (uint32_t i = 0; i < one->points; i++)
        printf("%s%s", i ? "," : "", name(one->point[i], WIRE_NAME_BYTES));
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

    require(bytes == sizeof *load && load->load < SERIES_MAX && load->reserved == 0, "LOAD holds a bad field");
    require(!loads[load->load], "a load is declared twice");
    loads[load->load] = true;
    printf("LOAD %u name=%s unit=%s\n", load->load, name(load->name, WIRE_NAME_BYTES),
           name(load->unit, WIRE_NAME_BYTES));
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
    require(bytes == sizeof payload.value, "VALUE has a wrong length");
    printf("VALUE %s=%" PRIu64 "\n", name(payload.value.name, sizeof payload.value.name), payload.value.value);
}

static void dump_note(uint32_t bytes)
{
    uint64_t used = payload.note.text_bytes;

    require(bytes == sizeof payload.note + (used + 7) / 8 * 8, "NOTE has a wrong length");
    printf("NOTE severity=%u %.*s\n", payload.note.severity, (int)used,
           (const char *)payload.bytes + sizeof payload.note);
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
    [WIRE_HELLO] = dump_hello,       [WIRE_TEXT] = dump_text,     [WIRE_SERIES] = dump_series,
    [WIRE_SAMPLES] = dump_samples,   [WIRE_LOST] = dump_lost,     [WIRE_LOAD] = dump_load,
    [WIRE_PROGRESS] = dump_progress, [WIRE_VALUE] = dump_value,   [WIRE_NOTE] = dump_note,
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
