/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The screen that Polygons draws on: a window in memory, a quarter as wide and as high as a VGA screen.
 *
 * The bench has no screen. With this size, one polygon takes less than the 200 us between two pulses at 5,000 Hz. The
 * paper's machine behaved alike: there APP_TEST never waited longer than 133 us for Polygons.
 */
#include "bench.h"

#include "../../../probe/port/port.h"

enum { WIDTH = 160, HEIGHT = 120 };

const char *window_open(struct port_screen *screen)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    *screen = (struct port_screen){.pixels = pixels, .width = WIDTH, .height = HEIGHT, .stride = WIDTH};
    return 0;
}
