// SPDX-License-Identifier: MIT OR Apache-2.0
// A picture in memory, because the board has no screen. Programs that draw do the same work as with a screen.
#include "board.h"

static uint8_t picture[FRAMEBUFFER_WIDTH * FRAMEBUFFER_HEIGHT];

uint8_t *framebuffer_start(void)
{
    for (unsigned i = 0; i < sizeof picture; i++)
        picture[i] = 0;
    return picture;
}
