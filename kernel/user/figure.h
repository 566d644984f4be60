// SPDX-License-Identifier: MIT OR Apache-2.0
// A figure that a program in user mode measures, in the format of the kernel's figures (programs/figures.h).
#ifndef DETENT_USER_FIGURE_H
#define DETENT_USER_FIGURE_H

#include "user/program.h"

#define FIGURE_REPEATS 200

struct figure {
    const char *name;
    unsigned goal, peer; // 0 if there is none
    uint32_t least, most, count;
};

void figure_add(struct figure *figure, uint32_t from, uint32_t to);
bool figure_print(const struct figure *figure); // false if the figure misses its goal

#endif
