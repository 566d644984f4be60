// SPDX-License-Identifier: MIT OR Apache-2.0
// The VGA's 320 by 200 picture with 256 colours, one byte a point.
#ifndef DETENT_FRAMEBUFFER_H
#define DETENT_FRAMEBUFFER_H

#include <stdint.h>

#define FRAMEBUFFER_WIDTH 320
#define FRAMEBUFFER_HEIGHT 200

uint8_t *framebuffer_start(void); // sets the mode; the first byte of the picture, rows from top to bottom

#endif
