/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What Polygons draws on here: a window in memory of a quarter of a VGA screen's width and height.
 *
 * The bench has no screen. The size is chosen so that one polygon takes less than the distance of two pulses at
 * 5,000 Hz, as on the paper's machine, where APP_TEST never waited longer than 133 us of 200 for Polygons.
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
