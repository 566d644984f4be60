// SPDX-License-Identifier: MIT OR Apache-2.0
// Which pin is which line. A line is called by its pin, as it is printed on the board.
#ifndef PICO_LINES_H
#define PICO_LINES_H

// The generator's output. The timestamper's first line is the same pin, so both see the same edge.
#define LINES_PULSES_PIN 2u
// The timestamper's lines are this many pins from LINES_PULSES_PIN on: GP2 to GP4.
#define LINES_STAMPED 3u
// The analyzer's lines are this many pins from LINES_PULSES_PIN on: GP2 to GP9, the bits of a sample.
#define LINES_SAMPLED 8u

// Pins as lines: inputs, held low where nothing is connected; the first is the generator's to drive.
void lines_start(void);

#endif
