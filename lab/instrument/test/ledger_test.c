/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the counts of heavy instructions between two instants: known results, and refusals. */
#include "ledger.h"

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

static uint32_t counts[HEAVY_KINDS];

static void nothing_is_known_before_the_first_reading(void)
{
    ledger_event(HEAVY_FLAG, 5);
    CHECK(!ledger_count(0, 10, counts));
}

static void from_is_counted_and_to_is_not(void)
{
    ledger_stamp(1000, 100); /* instruction 100 reads 1000 */
    ledger_event(HEAVY_PORT, 110);
    ledger_event(HEAVY_DIVIDE, 120);
    ledger_event(HEAVY_PORT, 130);
    ledger_stamp(1040, 140);
    CHECK(ledger_count(1000, 1040, counts) && counts[HEAVY_PORT] == 2 && counts[HEAVY_DIVIDE] == 1);
    CHECK(counts[HEAVY_FLAG] == 0);
    CHECK(ledger_count(1010, 1020, counts) && counts[HEAVY_PORT] == 1 && counts[HEAVY_DIVIDE] == 0);
    CHECK(ledger_count(1011, 1021, counts) && counts[HEAVY_PORT] == 0 && counts[HEAVY_DIVIDE] == 1);
    CHECK(!ledger_count(1040, 1000, counts));
    CHECK(!ledger_count(999, 1040, counts));
}

static void an_instant_at_which_the_processor_idled_is_refused(void)
{
    ledger_stamp(2000, 200);
    ledger_event(HEAVY_RETURN, 208);
    ledger_stamp(9000, 210); /* 6,990 of these were idle time, not instructions */
    CHECK(ledger_count(2005, 9000, counts) && counts[HEAVY_RETURN] == 1);
    CHECK(ledger_count(8999, 9000, counts) && counts[HEAVY_RETURN] == 0);
    CHECK(!ledger_count(2011, 9000, counts));
    CHECK(ledger_count(8997, 9000, counts)); /* just before a reading, the instant is known despite the idle time */
    CHECK(!ledger_count(8989, 9000, counts));
    CHECK(!ledger_count(9000, 9000u + (1u << 20), counts));
}

static void the_counter_s_low_half_may_wrap(void)
{
    ledger_stamp(UINT32_MAX - 9, 300);
    ledger_event(HEAVY_CR3, 305);
    ledger_stamp(10, 320);
    CHECK(ledger_count(UINT32_MAX - 9, 10, counts) && counts[HEAVY_CR3] == 1);
}

static void the_text_names_every_kind(void)
{
    char text[LEDGER_TEXT_CHARS];
    ledger_text(UINT32_MAX - 9, 10, text);
    CHECK(strcmp(text, "cr3=1,msr=0,port=0,device=0,div=0,flag=0,locked=0,bit=0,fpu=0,iret=0") == 0);
    ledger_text(77, 10, text);
    CHECK(strcmp(text, "unknown") == 0);
}

static void what_is_overwritten_is_refused(void)
{
    for (uint64_t i = 0; i < LEDGER_EVENTS; i++)
        ledger_event(HEAVY_MSR, 400 + i / 8);
    CHECK(!ledger_count(UINT32_MAX - 9, 10, counts));
    for (uint32_t i = 0; i < LEDGER_STAMPS; i++)
        ledger_stamp(50000 + i, 50000 + i);
    CHECK(!ledger_count(10, 50000, counts));
}

int main(void)
{
    nothing_is_known_before_the_first_reading();
    from_is_counted_and_to_is_not();
    an_instant_at_which_the_processor_idled_is_refused();
    the_counter_s_low_half_may_wrap();
    the_text_names_every_kind();
    what_is_overwritten_is_refused();
    puts("PASS ledger: 6 tests");
    return EXIT_SUCCESS;
}
