// SPDX-License-Identifier: MIT OR Apache-2.0
// The timestamper: takes a count at each edge of three lines, and keeps it in a ring until the host requests it.
//
// wire/PICO.md says how the host computes an instant from the counts. Edges of a line are numbered from 0; an odd
// number is a fall. A full ring loses its oldest edges; the edges' numbers then show a gap.
#ifndef PICO_EDGES_H
#define PICO_EDGES_H

#include "lines.h"

#include <stdbool.h>
#include <stdint.h>

// State machines of the timestamper in the first PIO block, as bits of pio_start.
#define EDGES_MACHINES ((1u << LINES_STAMPED) - 1u)
// Maximum number of edges that wait for the host, for each line.
#define EDGES_KEPT 8192u

// Prepares the timestamper, with no edges seen.
void edges_fit(void);

// Copies the oldest waiting edges of a line, at most `room`. Sets *first to the number of the first copied edge.
uint32_t edges_take(uint32_t line, uint32_t *to, uint32_t room, uint32_t *first);

// Whether a line changed so fast that edges were lost before they were numbered. Later times of that line are meaningless.
bool edges_spoilt(void);

void edges_stop(void);

// Returns the memory of one ring: 4 * EDGES_KEPT bytes, aligned to their number. The caller may use it while no capture
// runs.
uint32_t *edges_memory(void);

#endif
