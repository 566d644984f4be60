// SPDX-License-Identifier: MIT OR Apache-2.0
// polygons.h — fills one polygon.
#ifndef BACKWALL_PROBE_LOAD_POLYGONS_H
#define BACKWALL_PROBE_LOAD_POLYGONS_H

#include <stdint.h>

#define POLYGON_CORNERS_MAX 8u

struct polygon {
    unsigned corners;               // in [3, POLYGON_CORNERS_MAX]
    int32_t x[POLYGON_CORNERS_MAX]; // in [0, width]
    int32_t y[POLYGON_CORNERS_MAX]; // in [0, height]; both at most 32767
};
struct port_screen;
void polygons_fill(const struct port_screen *screen, const struct polygon *polygon, uint32_t colour);

#endif
