// SPDX-License-Identifier: MIT OR Apache-2.0
// Pages for processes and their tables: a pool of fixed size, taken once from the machine's memory.
#ifndef DETENT_PROCESS_FRAMES_H
#define DETENT_PROCESS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

bool frames_start(void);
uint64_t *frame_take(void); // filled with zeros; NULL if there is none
void frame_give(uint64_t *frame);
extern uint32_t frames_count; // number of free pages
static inline uint32_t frames_free(void)
{
    return frames_count;
}
extern uint32_t frames_all;

#endif
