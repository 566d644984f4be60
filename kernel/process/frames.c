// SPDX-License-Identifier: MIT OR Apache-2.0
// The pool of pages: free ones are a list through their first words.
#include "process/frames.h"

#include "process/low.h"

#include "limits.h"
#include "port.h"
#include "process_inline.h"

static uint64_t *first;
uint32_t frames_count;
uint32_t frames_all;

// Takes as much memory as there is, up to the limit: it halves the requested size until the request succeeds.
bool frames_start(void)
{
    uint32_t wanted = FRAMES_MAX;
    uint8_t *memory = memory_take((size_t)wanted * PAGE_BYTES);
    while (memory == NULL && (wanted /= 2) > 0)
        memory = memory_take((size_t)wanted * PAGE_BYTES);
    frames_all = wanted;
    for (uint32_t i = frames_all; i > 0; i--)
        frame_give((uint64_t *)(memory + (size_t)(i - 1) * PAGE_BYTES));
    return frames_all > 0;
}

uint64_t *frame_take(void)
{
    uint64_t *frame = first;
    if (frame == NULL)
        return NULL;
    first = (uint64_t *)frame[0];
    low_look(--frames_count);
    page_clear(frame);
    return frame;
}

void frame_give(uint64_t *frame)
{
    frame[0] = (uint64_t)first;
    first = frame;
    frames_count++;
}
