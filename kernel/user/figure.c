// SPDX-License-Identifier: MIT OR Apache-2.0
// See figure.h. Heavy instructions are not counted here, because their counter is a port that only the kernel may use.
#include "user/figure.h"

void figure_add(struct figure *figure, uint32_t from, uint32_t to)
{
    uint32_t value = to - from;
    if (figure->count == 0 || value < figure->least)
        figure->least = value;
    if (figure->count == 0 || value > figure->most)
        figure->most = value;
    figure->count++;
}

bool figure_print(const struct figure *figure)
{
    NKDbgPrintfW("figure %s %u goal %u peer %u min %u count %u heavy=not-counted\n", figure->name, figure->most,
                 figure->goal, figure->peer, figure->least, figure->count);
    return figure->count > 0 && (figure->goal == 0 || figure->most <= figure->goal);
}
