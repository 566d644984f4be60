// SPDX-License-Identifier: MIT OR Apache-2.0
// The VGA in the text mode that the firmware sets (3), with two bytes for each character. IBM VGA Technical Reference, 2-18 and
// 2-55.
#include "screen.h"

#include "board.h"

#define COLUMNS 80
#define ROWS 25
#define GREY 0x0700
#define BLANK (GREY | ' ')

static unsigned row, column;

#if defined(__x86_64__)
#define SCREEN ((volatile uint16_t *)0xB8000ull)
#define CRTC 0x3D4
#define CRTC_CURSOR_HIGH 0x0E
#define CRTC_CURSOR_LOW 0x0F

static void cursor_move(void)
{
    unsigned place = row * COLUMNS + column;

    out8(CRTC, CRTC_CURSOR_HIGH);
    out8(CRTC + 1, (uint8_t)(place >> 8));
    out8(CRTC, CRTC_CURSOR_LOW);
    out8(CRTC + 1, (uint8_t)place);
}

#else
// For a board without a screen: the same memory layout in ordinary memory.
static volatile uint16_t text_memory[ROWS * COLUMNS];
#define SCREEN text_memory

static void cursor_move(void)
{
}
#endif

void screen_start(void)
{
    for (unsigned place = 0; place < ROWS * COLUMNS; place++)
        SCREEN[place] = BLANK;
    row = column = 0;
    cursor_move();
}

static void row_next(void)
{
    column = 0;
    if (row + 1 < ROWS) {
        row++;
        return;
    }
    for (unsigned place = 0; place < (ROWS - 1) * COLUMNS; place++)
        SCREEN[place] = SCREEN[place + COLUMNS];
    for (unsigned place = (ROWS - 1) * COLUMNS; place < ROWS * COLUMNS; place++)
        SCREEN[place] = BLANK;
}

static void character_put(char c)
{
    if (c == '\n') {
        row_next();
        return;
    }
    if (c == '\r') {
        column = 0;
        return;
    }
    if (column == COLUMNS)
        row_next();
    SCREEN[row * COLUMNS + column++] = (uint16_t)(GREY | (uint8_t)c);
}

void screen_put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        character_put(text[i]);
    cursor_move();
}

bool screen_begins(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((uint8_t)SCREEN[row * COLUMNS + i] != (uint8_t)text[i])
            return false;
    }
    return true;
}
