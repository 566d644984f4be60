// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures: numbers of executed instructions. Each is the difference of two readings of the time stamp counter, which under
// -icount shift=0 counts instructions. Nothing is subtracted: a figure includes the first reading, the store of its value, and
// the call.
#ifndef DETENT_FIGURES_H
#define DETENT_FIGURES_H

#include "board.h"
#include "goals.h"
#include "programs/heavy.h"

#define FIGURE_REPEATS 200
#define FIGURE_HIGH 10
#define FIGURE_LOW 20 // priority of the measuring thread

struct figure {
    const char *name;
    unsigned goal, peer; // 0 if there is none; peer is the best recorded figure of other kernels
    uint32_t least, most, count;
    char heavy[HEAVY_CHARS]; // heavy instructions of the largest sample
};

void figure_add(struct figure *figure, uint32_t from, uint32_t to);
// Prints the figure's line of the report and resets the figure. False if the figure misses its goal.
bool figure_print(struct figure *figure);
HANDLE figure_thread(LPTHREAD_START_ROUTINE start, int priority);
void figure_thread_join(HANDLE thread); // waits for the thread's end

#endif
