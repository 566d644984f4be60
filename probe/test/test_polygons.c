// SPDX-License-Identifier: MIT OR Apache-2.0
// The rasteriser: known areas, and triangles that share an edge share no pixel and leave none out.
#include "check.h"

#include "../load/polygons.h"
#include "../port/port.h"

#include <string.h>

#define WIDTH 97u
#define HEIGHT 61u
#define STRIDE 101u // rows are longer than their drawn part

static uint32_t pixels[STRIDE * HEIGHT];
static const struct port_screen screen = {pixels, WIDTH, HEIGHT, STRIDE};

static unsigned count(uint32_t colour)
{
    unsigned found = 0;

    for (size_t i = 0; i < STRIDE * HEIGHT; i++)
        found += pixels[i] == colour;
    return found;
}

static void clear(void)
{
    memset(pixels, 0, sizeof pixels);
}

static void a_rectangle_has_width_times_height_pixels(void)
{
    clear();
    polygons_fill(&screen, &(struct polygon){.corners = 4, .x = {3, 20, 20, 3}, .y = {5, 5, 12, 12}}, 7);
    CHECK(count(7) == 17 * 7 && count(0) == STRIDE * HEIGHT - 17 * 7);
    CHECK(pixels[5 * STRIDE + 3] == 7 && pixels[11 * STRIDE + 19] == 7);
    CHECK(pixels[12 * STRIDE + 3] == 0 && pixels[5 * STRIDE + 20] == 0);
}

static void the_whole_screen_is_filled_and_nothing_beyond(void)
{
    clear();
    polygons_fill(&screen, &(struct polygon){.corners = 4, .x = {0, WIDTH, WIDTH, 0}, .y = {0, 0, HEIGHT, HEIGHT}}, 1);
    CHECK(count(1) == WIDTH * HEIGHT);
    for (size_t row = 0; row < HEIGHT; row++)
        CHECK(pixels[row * STRIDE + WIDTH] == 0);
}

static void the_middle_of_a_self_crossing_outline_stays_empty(void)
{
    // A pentagram filled by the even-odd rule: the inner pentagon is crossed an even number of times and stays empty.
    clear();
    polygons_fill(&screen, &(struct polygon){.corners = 5, .x = {45, 63, 16, 74, 27}, .y = {2, 58, 23, 23, 58}}, 3);
    CHECK(pixels[32 * STRIDE + 45] == 0);
    CHECK(pixels[10 * STRIDE + 45] == 3);
}

// Triangles arranged as a fan around a point cover each pixel of the screen exactly once: filled with different colours, their
// pixel counts add up to the screen.
static void triangles_that_share_edges_tile_the_screen(void)
{
    static const int32_t CORNER_X[4] = {0, WIDTH, WIDTH, 0};
    static const int32_t CORNER_Y[4] = {0, 0, HEIGHT, HEIGHT};
    unsigned long long seed = 5;

    for (int turn = 0; turn < 2000; turn++) {
        int32_t x = (int32_t)(check_random(&seed) % (WIDTH + 1));
        int32_t y = (int32_t)(check_random(&seed) % (HEIGHT + 1));
        unsigned alone = 0;

        clear();
        for (unsigned i = 0; i < 4; i++) {
            unsigned next = (i + 1) % 4;
            struct polygon triangle = {
                .corners = 3, .x = {CORNER_X[i], CORNER_X[next], x}, .y = {CORNER_Y[i], CORNER_Y[next], y}};

            polygons_fill(&screen, &triangle, i + 1);
            alone += count(i + 1);
        }
        CHECK(alone == WIDTH * HEIGHT);                      // none drawn twice: each count held when it was new
        CHECK(count(0) == STRIDE * HEIGHT - WIDTH * HEIGHT); // none left out
    }
}

static void no_polygon_on_the_screen_writes_beyond_it(void)
{
    unsigned long long seed = 9;

    for (int turn = 0; turn < 5000; turn++) {
        struct polygon polygon = {.corners = 3 + check_random(&seed) % (POLYGON_CORNERS_MAX - 2)};

        for (unsigned i = 0; i < polygon.corners; i++) {
            polygon.x[i] = (int32_t)(check_random(&seed) % (WIDTH + 1));
            polygon.y[i] = (int32_t)(check_random(&seed) % (HEIGHT + 1));
        }
        clear();
        polygons_fill(&screen, &polygon, 1); // the sanitizer watches the ends of the array
        for (size_t row = 0; row < HEIGHT; row++)
            CHECK(pixels[row * STRIDE + WIDTH] == 0);
    }
}

int main(void)
{
    TEST(a_rectangle_has_width_times_height_pixels);
    TEST(the_whole_screen_is_filled_and_nothing_beyond);
    TEST(the_middle_of_a_self_crossing_outline_stays_empty);
    TEST(triangles_that_share_edges_tile_the_screen);
    TEST(no_polygon_on_the_screen_writes_beyond_it);
    return 0;
}
