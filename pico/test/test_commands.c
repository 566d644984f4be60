// SPDX-License-Identifier: MIT OR Apache-2.0
// Tests the commands: which lines are accepted, which are refused in one line, and that every line gets an answer.
#include "../../probe/test/check.h"

#include "../capture.h"
#include "../clocks.h"
#include "../commands.h"
#include "../edges.h"
#include "../pulses.h"
#include "../serial.h"
#include "../sump.h"

#include <string.h>

static struct {
    uint8_t said[32768];
    uint32_t length;
    unsigned answers;
    bool open;
    unsigned starts;
    unsigned stops;
    uint32_t asked[3];
    uint32_t waiting; // edges of each line
    bool spoilt;
} fake;

bool serial_read(uint8_t *byte)
{
    (void)byte;
    return false;
}

void serial_begin(void)
{
    CHECK(!fake.open);
    fake.open = true;
}

void serial_write(const void *bytes, uint32_t length)
{
    CHECK(fake.open && fake.length + length <= sizeof fake.said);
    memcpy(fake.said + fake.length, bytes, length);
    fake.length += length;
}

void serial_end(void)
{
    CHECK(fake.open && fake.length > 0 && fake.said[fake.length - 1] == '\n');
    fake.open = false;
    fake.answers++;
}

void capture_start(uint32_t high_ticks, uint32_t low_ticks, uint32_t pulses)
{
    fake.starts++;
    fake.asked[0] = high_ticks;
    fake.asked[1] = low_ticks;
    fake.asked[2] = pulses;
}

void capture_stop(void)
{
    fake.stops++;
}

uint64_t capture_age_us(void)
{
    return 0x123456789abcull;
}

uint32_t edges_take(uint32_t line, uint32_t *to, uint32_t room, uint32_t *first)
{
    uint32_t count = fake.waiting < room ? fake.waiting : room;

    *first = 100 * line;
    for (uint32_t i = 0; i < count; i++)
        to[i] = line << 16 | i;
    return count;
}

bool edges_spoilt(void)
{
    return fake.spoilt;
}

bool pulses_running(void)
{
    return fake.starts > fake.stops;
}

void sump_reset(void)
{
}

// The firmware's answer to a text.
static const char *answer(const char *text)
{
    fake.length = 0;
    while (*text)
        commands_take((uint8_t)*text++);
    fake.said[fake.length] = '\0';
    return (const char *)fake.said;
}

static void every_command_is_answered(void)
{
    CHECK(strcmp(answer("*IDN?\n"), "backwall,pico,0,1\n") == 0);
    CHECK(strcmp(answer("RUN 4,96,10\r\n"), "ok\n") == 0);
    CHECK(fake.starts == 1 && fake.asked[0] == 4 && fake.asked[1] == 96 && fake.asked[2] == 10);
    CHECK(strcmp(answer("RUN 4294967295,4294967295,4294967295\n"), "ok\n") == 0 && fake.asked[2] == UINT32_MAX);
    CHECK(strcmp(answer("STOP\n"), "ok\n") == 0 && fake.stops == 1);
}

static void what_is_wrong_is_refused_in_one_line_and_does_nothing(void)
{
    static const char *const lines[] = {
        "RUN\n",
        "RUN \n",
        "RUN 4,5\n",
        "RUN 4,5,\n",
        "RUN 4,5,6,7\n",
        "RUN 4,5,6 \n",
        "RUN -4,5,6\n",
        "RUN 3,5,6\n",
        "RUN 4,3,6\n",
        "RUN 4,5,0\n",
        "RUN 4294967296,5,6\n",
        "RUN 99999999999999999999999999,5,6\n",
        "run 4,5,6\n",
        "STOP now\n",
        "EDGES\n",
        "*IDN? \n",
        "\001\n",
        "RUN 4,5,66666666666666666666666666666666666666666666666666666666666\n",
    };
    unsigned starts = fake.starts;

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *said = answer(lines[i]);

        CHECK(strncmp(said, "error ", 6) == 0 && strchr(said, '\n') == said + strlen(said) - 1);
    }
    CHECK(fake.starts == starts && *answer("\n\r\n") == '\0');
}

static void the_edges_that_wait_come_as_one_block(void)
{
    uint32_t head[10];
    uint32_t last;

    fake.waiting = 2;
    CHECK(strncmp(answer("EDGES?\n"), "#500064", 7) == 0 && fake.length == 7 + 64 + 1);
    memcpy(head, fake.said + 7, sizeof head);
    CHECK(head[1] == CLOCKS_TICKS_PER_S && head[2] == 0x56789abcu && head[3] == 0x1234u);
    for (uint32_t line = 0; line < LINES_STAMPED; line++)
        CHECK(head[4 + 2 * line] == 100 * line && head[5 + 2 * line] == 2);
    memcpy(&last, fake.said + 7 + 60, sizeof last);
    CHECK(last == (2u << 16 | 1u));
    fake.spoilt = true;
    fake.waiting = 100000;
    answer("EDGES?\n");
    CHECK(strncmp((const char *)fake.said, "#524616", 7) == 0 && fake.length == 7 + 24616 + 1);
    memcpy(head, fake.said + 7, sizeof head);
    CHECK(head[0] & 2u);
}

// For any bytes, each line that is not empty must get exactly one answer, and an empty line none.
static void any_bytes_are_survived(void)
{
    static const char letters[] = "*IDN?RUN 4,5,6EDGES?STOP\n\n\r\0\xff";
    unsigned long long state = 3;
    unsigned lines = 0;
    bool begun = false;

    commands_reset();
    fake.answers = 0;
    fake.waiting = 1;
    for (unsigned i = 0; i < 300000; i++) {
        uint8_t byte = (uint8_t)letters[check_random(&state) % (sizeof letters - 1)];
        bool ends = byte == '\n' || byte == '\r';

        fake.length = 0;
        commands_take(byte);
        lines += ends && begun;
        begun = !ends;
    }
    CHECK(lines > 20000 && fake.answers == lines);
}

int main(void)
{
    TEST(every_command_is_answered);
    TEST(what_is_wrong_is_refused_in_one_line_and_does_nothing);
    TEST(the_edges_that_wait_come_as_one_block);
    TEST(any_bytes_are_survived);
    return 0;
}
