/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the arguments: valid ones are stored, wrong ones are refused. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

static struct options options;

static bool accepts(const char *argument)
{
    char *arguments[] = {(char *)"edges=out", (char *)argument};
    return options_parse(&options, 2, arguments);
}

static void what_is_given_arrives(void)
{
    char *arguments[] = {(char *)"edges=e.bin",    (char *)"channel=c.bin", (char *)"b-shape=poisson",
                         (char *)"b-period=12345", (char *)"b-seed=9",      (char *)"b-warmup=3"};
    CHECK(options_parse(&options, 6, arguments));
    CHECK(strcmp(options.edges_path, "e.bin") == 0 && strcmp(options.channel_path, "c.bin") == 0);
    CHECK(!options.generators[0].used && options.generators[1].used);
    CHECK(options.generators[1].train.shape == TRAIN_POISSON);
    CHECK(options.generators[1].train.period_instructions == 12345);
    CHECK(options.generators[1].train.random == 9 && options.generators[1].warmup == 3);
    CHECK(options.generators[1].delay_instructions == 12345);
}

static void what_a_held_machine_was_like_arrives(void)
{
    char *arguments[] = {(char *)"edges=e.bin",  (char *)"hold=h.txt",      (char *)"resume=1",
                         (char *)"a-control=28", (char *)"b-data=255",      (char *)"b-armed=123456789012",
                         (char *)"b-period=7",   (char *)"a-shape=two-tone"};
    CHECK(options_parse(&options, 8, arguments));
    CHECK(strcmp(options.hold_path, "h.txt") == 0 && options.resume == 1);
    CHECK(options.generators[0].control == 28 && options.generators[0].data == 0);
    CHECK(options.generators[1].data == 255 && options.generators[1].armed_instructions == 123456789012);
    CHECK(options.generators[0].train.shape == TRAIN_TWO_TONE);
}

static void what_is_wrong_is_refused(void)
{
    const char *wrong[] = {"a-shape=square",
                           "a-period=0",
                           "a-period=-1",
                           "a-period=12x",
                           "a-period=",
                           "a-pulses=0",
                           "a-pulses=4294967296",
                           "a-duty-ppm=1000000",
                           "a-nothing=1",
                           "nothing",
                           "nothing=1",
                           "c-period=1",
                           "addresses=2",
                           "count=2",
                           "a-seed=18446744073709551616",
                           "=",
                           "a-=1",
                           "a-mark-bit=8",
                           "a-shape=two-tones",
                           "a-second-period=1",
                           "a-armed=0",
                           "b-data=256",
                           "resume=2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!accepts(wrong[i]));
    CHECK(!options_parse(&options, 0, NULL));
}

/* Random bytes may only be refused; the sanitizers detect other errors. */
static void random_arguments_do_no_harm(void)
{
    static const char ALPHABET[] = "ab-=shapeperiodicwarmup0123456789";
    srand(1);
    for (int i = 0; i < 100000; i++) {
        char argument[24];
        int length = rand() % 23;
        for (int j = 0; j < length; j++)
            argument[j] = ALPHABET[(size_t)rand() % (sizeof ALPHABET - 1)];
        argument[length] = 0;
        accepts(argument);
    }
}

int main(void)
{
    what_is_given_arrives();
    what_a_held_machine_was_like_arrives();
    FILE *silenced = freopen("/dev/null", "w", stderr);
    CHECK(silenced);
    what_is_wrong_is_refused();
    random_arguments_do_no_harm();
    puts("PASS options: 4 tests");
    return EXIT_SUCCESS;
}
