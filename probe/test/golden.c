// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes the golden streams that no run of the fake device makes: every kind of record, with its rare fields.
//
//   golden every     all eleven kinds, series interleaved, with and without a period, a processor and fields, empty and odd-length texts, all reasons
//   golden unknown   a record of a type that version 2 does not know, which a reader must skip and count
#include "../emit.h"
#include "../port/port.h"

#include "../../wire/wire.h"

#include <stdio.h>
#include <string.h>

static void say_series(void)
{
    static const char LONG[] = "a-name-of-any-sensible-length-that-would-not-have-fitted-into-sixteen-bytes";
    const struct wire_series bench = {.series = 7,
                                      .points = 8,
                                      .period = 200,
                                      .first_at = 1000,
                                      .overrun = WIRE_OVERRUN_QUEUE,
                                      .cpu = 3,
                                      .fields = 2};
    const struct wire_series pair = {.series = 0, .points = 2, .deadline = 5000, .cpu = WIRE_NONE};
    const struct wire_series other = {.series = 255, .points = 2, .cpu = WIRE_NONE, .fields = 1};

    emit_series(&bench, LONG, (const char *[]){"stimulus", "isr", "ist", "app", "e", "f", "g", "h"},
                (const char *[]){"size=64", "task=control=loop"});
    emit_series(&pair, "pair", (const char *[]){"from", "to"}, NULL);
    emit_series(&other, "pair", (const char *[]){"from", "to"}, (const char *[]){"size=\xc2\xb5"});
}

static void say_samples(void)
{
    const uint64_t whole[8] = {1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007};
    const uint64_t partial[8] = {1200,        1201,        WIRE_ABSENT, WIRE_ABSENT,
                                 WIRE_ABSENT, WIRE_ABSENT, WIRE_ABSENT, WIRE_ABSENT};
    const uint64_t wraps[2] = {UINT64_MAX - 10, UINT64_MAX - 1};

    emit_sample(7, 8, WIRE_SAMPLES_WARMUP, 0, whole);
    emit_sample(7, 8, 0, 1, partial);
    emit_sample(0, 2, 0, 0, wraps);
    emit_lost(7, WIRE_LOSS_OVERRUN, 2, 3);
    emit_lost(7, WIRE_LOSS_RING_FULL, 5, 1);
    emit_lost(7, WIRE_LOSS_STOPPED, 6, 4000000000u);
    emit_totals(7, 4000000006u, 2, 4000000004u);
    emit_totals(0, 1, 1, 0);
    emit_totals(255, 0, 0, 0);
}

static void write_every(void)
{
    emit_hello();
    emit_text("empty", "");
    emit_text("odd", "123456789");
    emit_text("unicode", "\xc2\xb5s");
    say_series();
    say_samples();
    emit_load(3, "a-load-with-a-long-name", "polygons of three to eight corners");
    emit_progress(3, 5000, 0);
    emit_progress(3, 6000, UINT64_MAX);
    emit_value(WIRE_NONE, "a_name_of_more_than_thirty_two_bytes_of_a_value_count", 1);
    emit_value(7, "measured_cpu_ns", 2);
    emit_note(WIRE_NOTE_INFO, "");
    emit_note(WIRE_NOTE_WARNING, "a warning");
    emit_note(WIRE_NOTE_ERROR, "an error");
    emit_end(WIRE_END_INTERRUPTED);
}

static void write_unknown(void)
{
    const struct wire_head head = {.type = 99, .number = 1, .payload_bytes = 8};
    const struct wire_head end_head = {.type = WIRE_END, .number = 2, .payload_bytes = sizeof(struct wire_end_record)};
    const struct wire_end_record end = {.reason = WIRE_END_DONE, .records = 2};

    emit_hello();
    emit_flush();
    port_host_write(&head, sizeof head);
    port_host_write("whatever", 8);
    port_host_write(&end_head, sizeof end_head);
    port_host_write(&end, sizeof end);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "every") == 0)
        write_every();
    else if (argc == 2 && strcmp(argv[1], "unknown") == 0)
        write_unknown();
    else
        return 2;
    return 0;
}
