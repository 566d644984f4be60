// SPDX-License-Identifier: MIT OR Apache-2.0
// The timestamper: for each of three lines a count at each of its edges, kept in a ring until the host asks.
//
// What an instant is made of is in wire/PICO.md; here counts are only moved. Edges of a line are numbered from 0, and
// an odd number is a fall. A ring that is full loses its oldest edges, which the numbers then show.
#ifndef PICO_EDGES_H
#define PICO_EDGES_H

#include "lines.h"

#include <stdbool.h>
#include <stdint.h>

// Its state machines in the first PIO block, as bits of pio_start.
#define EDGES_MACHINES ((1u << LINES_STAMPED) - 1u)
// Edges of a line that wait for the host.
#define EDGES_KEPT 8192u

// Makes ready; nothing was seen yet.
void edges_fit(void);

// Copies the oldest edges of a line that wait, at most `room` of them. The number of the first is put at `first`.
uint32_t edges_take(uint32_t line, uint32_t *to, uint32_t room, uint32_t *first);

// Whether a line changed so fast that edges were lost before they were numbered. Its later instants mean nothing.
bool edges_spoilt(void);

void edges_stop(void);

// The memory of one ring, for another use while nothing is stamped: 4 * EDGES_KEPT bytes, aligned to that.
uint32_t *edges_memory(void);

#endif
