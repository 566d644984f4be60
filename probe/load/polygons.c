// SPDX-License-Identifier: MIT OR Apache-2.0
// polygons: draws filled polygons as fast as it can, into memory or onto the screen.
//
// This is the load of the 2002 papers. Their Figure 3 gives polygons per second as the general speed of a system, and
// they measure latencies while the load runs. It fills by integer scan lines with the even-odd rule. A pixel belongs to
// a polygon if its row lies in [y0, y1) of an edge and its column in [x, next x) of two crossings, so polygons that
// share an edge neither overlap nor leave a gap. No library is needed, so the same file works on a kernel without one.
#include "polygons.h"

#include "../load.h"
#include "../plan.h"
#include "../port/port.h"

#define POLYGONS_WIDTH 640u
#define POLYGONS_HEIGHT 480u

static uint32_t polygons_memory[POLYGONS_WIDTH * POLYGONS_HEIGHT];
static struct port_screen polygons_screen = {polygons_memory, POLYGONS_WIDTH, POLYGONS_HEIGHT, POLYGONS_WIDTH};

static const char *polygons_prepare(struct load_run *run)
{
    return run->plan->framebuffer ? run->calls->screen(&polygons_screen) : NULL;
}

// The x positions at which the edges cross row y, in ascending order. Returns their number, which is even for a closed outline.
static unsigned polygons_crossings(const struct polygon *polygon, int32_t y, int32_t *crossings)
{
    unsigned found = 0;

    for (unsigned i = 0; i < polygon->corners; i++) {
        unsigned next = i + 1 == polygon->corners ? 0 : i + 1;
        unsigned top = polygon->y[i] < polygon->y[next] ? i : next;
        unsigned bottom = top == i ? next : i;

        if (y < polygon->y[top] || y >= polygon->y[bottom])
            continue;
        int32_t x =
            polygon->x[top]
            + (y - polygon->y[top]) * (polygon->x[bottom] - polygon->x[top]) / (polygon->y[bottom] - polygon->y[top]);
        unsigned place = found++;

        for (; place > 0 && crossings[place - 1] > x; place--)
            crossings[place] = crossings[place - 1];
        crossings[place] = x;
    }
    return found;
}

void polygons_fill(const struct port_screen *screen, const struct polygon *polygon, uint32_t colour)
{
    int32_t crossings[POLYGON_CORNERS_MAX];
    int32_t top = polygon->y[0];
    int32_t bottom = polygon->y[0];

    for (unsigned i = 1; i < polygon->corners; i++) {
        top = polygon->y[i] < top ? polygon->y[i] : top;
        bottom = polygon->y[i] > bottom ? polygon->y[i] : bottom;
    }
    for (int32_t y = top; y < bottom; y++) {
        uint32_t *row = screen->pixels + (size_t)y * screen->stride;
        unsigned found = polygons_crossings(polygon, y, crossings);

        for (unsigned i = 0; i + 1 < found; i += 2) {
            for (int32_t x = crossings[i]; x < crossings[i + 1]; x++)
                row[x] = colour;
        }
    }
}

// Marsaglia's xorshift, 32 bits, shifts 13, 17, 5 ("Xorshift RNGs", 2003); state is never 0.
static uint32_t polygons_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void polygons_run(struct load_run *run, unsigned which)
{
    uint32_t state = 2463534242u + which;
    struct polygon polygon;

    while (!load_stopped(run)) {
        polygon.corners = 3 + polygons_random(&state) % (POLYGON_CORNERS_MAX - 2);
        for (unsigned i = 0; i < polygon.corners; i++) {
            polygon.x[i] = (int32_t)(polygons_random(&state) % polygons_screen.width);
            polygon.y[i] = (int32_t)(polygons_random(&state) % polygons_screen.height);
        }
        polygons_fill(&polygons_screen, &polygon, polygons_random(&state));
        load_count(run, 1);
    }
}

const struct load load_polygons = {
    .name = "polygons",
    .unit = "polygons",
    .summary = "fills random polygons of 3 to 8 corners, 640 by 480, in memory or on /dev/fb0",
    .threads = 1,
    .traits = LOAD_DRAWS | LOAD_MANY,
    .prepare = polygons_prepare,
    .run = polygons_run,
};
