// SPDX-License-Identifier: MIT OR Apache-2.0
// Measures the sieve with four outlets. Two are the serial line and the VGA, written by the program itself. The other
// two are the same devices, written by a thread that gets each message from the program.
//
// A round measures these for each outlet. Each round starts one measurement later in this list than the round before:
//     compute   the sieve without output
//     display   all messages at once
//     both      the sieve with output to the outlet
#include "compute_display.h"

#include "../../../probe/measure.h"
#include "../../../probe/port/port.h"

#include "board.h"
#include "detent.h"
#include "screen.h"
#include "sieve.h"

#include <stdio.h>
#include <string.h>

#define PRIMES_MOST 28000000ull // as in the newsgroup post
#define TEXT_BYTES 32768u       // room for all messages: at most 875 of 25 bytes
#define PRIORITY "80"           // priority of the program
#define SHOWER_PRIORITY 81      // priority of the displaying thread: it runs as soon as there is a message
#define DIGITS_MAX 9

struct outlet {
    const char *field[2]; // fields of the outlet's series
    void (*put)(const char *text, size_t length);
    bool by_thread;
};

static void serial_put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        console_put(text[i]);
}

static const struct outlet OUTLETS[] = {
    {{"outlet=serial", NULL}, serial_put, false},
    {{"outlet=vga", NULL}, screen_put, false},
    {{"outlet=serial-thread", NULL}, serial_put, true},
    {{"outlet=vga-thread", NULL}, screen_put, true},
};

enum { OUTLETS_COUNT = sizeof OUTLETS / sizeof OUTLETS[0], FORMS = 3, SERIES_COUNT = OUTLETS_COUNT * FORMS };

static struct {
    uint64_t limit;
    uint8_t *composite;
    uint64_t primes;
    char text[TEXT_BYTES]; // all messages
    size_t length;
    const struct outlet *outlet;
    struct port_event handed, shown;
    const char *message; // message for the displaying thread
    size_t message_length;
} sieve;

static void nowhere(const char *text, size_t length)
{
    (void)text;
    (void)length;
}

static void keep(const char *text, size_t length)
{
    if (length <= sizeof sieve.text - sieve.length) {
        memcpy(sieve.text + sieve.length, text, length);
        sieve.length += length;
    }
}

static void shower_run(void *unused)
{
    (void)unused;
    port_thread_realtime(SHOWER_PRIORITY, PORT_FIFO);
    for (;;) {
        port_event_wait(&sieve.handed, PORT_FOREVER);
        sieve.outlet->put(sieve.message, sieve.message_length);
        port_event_set(&sieve.shown);
    }
}

static void show(const char *text, size_t length)
{
    if (!sieve.outlet->by_thread) {
        sieve.outlet->put(text, length);
        return;
    }
    sieve.message = text;
    sieve.message_length = length;
    port_event_set(&sieve.handed);
    port_event_wait(&sieve.shown, PORT_FOREVER);
}

static const char *sieve_prepare(const struct plan *plan)
{
    (void)plan;
    sieve.composite = port_memory_map(sieve.limit + 1);
    if (!sieve.composite)
        return "no memory for so many numbers: --primes less";
    screen_start();
    sieve.primes = sieve_run(sieve.composite, sieve.limit, keep);
    return port_thread_start(shower_run, NULL);
}

static const char *form_run(uint32_t form)
{
    uint64_t primes = sieve.primes;

    if (form == 0)
        primes = sieve_run(sieve.composite, sieve.limit, nowhere);
    else if (form == 1)
        show(sieve.text, sieve.length);
    else
        primes = sieve_run(sieve.composite, sieve.limit, show);
    return primes == sieve.primes ? NULL : "the sieve found another number of primes than before";
}

// Whether the cursor's row on the screen shows the last message. A message that ended its line need not be there.
static bool is_on_screen(void)
{
    const char *last = sieve.text + sieve.length - SIEVE_MESSAGE_CHARS;

    return sieve.outlet->put != screen_put || sieve.length < SIEVE_MESSAGE_CHARS
           || last[SIEVE_MESSAGE_CHARS - 1] == '\n' || screen_begins(last, SIEVE_MESSAGE_CHARS - 1);
}

static void sieve_measure(struct measured *measured)
{
    uint64_t seq = 0;

    for (; !measured->failure && measured_goes_on(measured, seq); seq++) {
        for (uint32_t i = 0; i < SERIES_COUNT && !measured->failure; i++) {
            uint32_t series = (uint32_t)((seq + i) % SERIES_COUNT);
            struct ring_entry sample = {.kind = RING_SAMPLE, .series = (uint16_t)series, .seq = seq};

            sieve.outlet = &OUTLETS[series / FORMS];
            sample.at[0] = port_clock_read();
            measured->failure = form_run(series % FORMS);
            sample.at[1] = port_clock_read();
            ring_push(measured->ring, &sample);
            if (!measured->failure && series % FORMS > 0 && !is_on_screen())
                measured->failure = "the screen does not hold the last message";
        }
    }
    for (uint32_t i = 0; i < SERIES_COUNT; i++)
        measured->due[i] = seq;
}

static struct series series[SERIES_COUNT];

static struct measure measure = {
    .name = "sieve",
    .summary = "computing alone, displaying alone and both",
    .traits = MEASURE_HIDDEN | MEASURE_BRIEF,
    .series = series,
    .series_count = SERIES_COUNT,
    .prepare = sieve_prepare,
    .run = sieve_measure,
};

static bool refuse(const char *word, const char *want)
{
    printf("sieve %s: %s\n", word, want);
    return false;
}

bool compute_display_read(struct compute_display *asked, int count, char **words)
{
    *asked = (struct compute_display){.primes = "4000000", .rounds = "7"};
    for (int i = 1; i < count; i += 2) {
        bool is_primes = strcmp(words[i], "--primes") == 0;

        if (!is_primes && strcmp(words[i], "--rounds") != 0)
            return refuse(words[i], "there is no such option; there are --primes N and --rounds N");
        if (i + 1 == count)
            return refuse(words[i], "its value is missing");
        *(is_primes ? &asked->primes : &asked->rounds) = words[i + 1];
    }
    sieve.limit = 0;
    for (const char *digit = asked->primes; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || digit - asked->primes == DIGITS_MAX)
            return refuse(asked->primes, "a whole number from 1000 to 28000000 is needed");
        sieve.limit = sieve.limit * 10 + (uint64_t)(*digit - '0');
    }
    return (sieve.limit >= 1000 && sieve.limit <= PRIMES_MOST)
           || refuse(asked->primes, "a whole number from 1000 to 28000000 is needed");
}

// Reads a plan for a measure that every image has, and then replaces that measure by the one of the sieve.
bool compute_display_plan(const struct compute_display *asked, struct plan *plan)
{
    static const char *const names[FORMS] = {"compute", "display", "both"};
    const char *words[] = {"sieve",    "measure", "wakeup",     "--count", asked->rounds,
                           "--warmup", "0",       "--priority", PRIORITY};

    if (!plan_read(plan, (int)(sizeof words / sizeof words[0]), (char **)(uintptr_t)words))
        return false;
    for (uint32_t i = 0; i < SERIES_COUNT; i++)
        series[i] = (struct series){
            .name = names[i % FORMS], .points = 2, .point = {"begin", "end"}, .fields = OUTLETS[i / FORMS].field};
    plan->measure = &measure;
    return true;
}
