// SPDX-License-Identifier: MIT OR Apache-2.0
// The pin of each line. A line has the name of its pin, as printed on the board.
#ifndef PICO_LINES_H
#define PICO_LINES_H

// The generator's output. It is also the timestamper's first line, so both see the same edge.
#define LINES_PULSES_PIN 2u
// The timestamper has this many lines, from LINES_PULSES_PIN on: GP2 to GP4.
#define LINES_STAMPED 3u
// The analyzer has this many lines, from LINES_PULSES_PIN on: GP2 to GP9, the bits of a sample.
#define LINES_SAMPLED 8u

// Makes the pins inputs, pulled low if not connected. The generator drives the first one.
void lines_start(void);

#endif
