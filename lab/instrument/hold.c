/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See hold.h. */
#include "hold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"
#include "options.h"
#include "recording.h"
#include "scope.h"

/* Writes the arguments for the instrument that continues, one per line. */
static int arguments_write(FILE *file, unsigned armed, uint64_t now_instructions)
{
    for (unsigned i = 0; i < GENERATORS; i++) {
        struct registers now = scope_registers(i);
        fprintf(file, "%c-data=%u\n%c-control=%u\n", 'a' + i, now.data, 'a' + i, now.control);
    }
    return fprintf(file, "%c-armed=%llu\n", 'a' + armed, (unsigned long long)now_instructions);
}

void hold_machine(const char *path, unsigned index, uint64_t now_instructions)
{
    FILE *file = fopen(path, "wb");
    if (!file || arguments_write(file, index, now_instructions) < 0 || fclose(file) != 0) {
        fprintf(stderr, "instrument: cannot write %s: %s\n", path, strerror(errno));
        _Exit(EXIT_FAILURE);
    }
    recording_cut();
    emulator_pause();
}
