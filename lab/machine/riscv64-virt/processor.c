/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See processor.h. The emulator's function needs the CPU's state, which begins with the registers x0 to x31 at an
 * unknown offset in the CPU object. So this file writes a pattern to two registers, finds it in the object, and
 * restores the registers.
 */
#include "processor.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../instrument/emulator.h"

enum { FIRST = 1, REGISTERS = 2, REGISTER_BYTES = 8, ALLOWED = -1 /* the emulator's RISCV_EXCP_NONE */ };

int (*processor_register_write)(void *processor, uint8_t *bytes, int number);
int (*processor_status_read)(void *state, int number, uint64_t *value, uint64_t new_value, uint64_t mask,
                             uintptr_t no_caller);
int (*processor_any_use)(void *state, int number, uint64_t *value, uint64_t new_value, uint64_t mask);

static void registers_write(void *processor, const uint64_t values[REGISTERS])
{
    for (int i = 0; i < REGISTERS; i++) {
        uint8_t bytes[REGISTER_BYTES];
        memcpy(bytes, &values[i], sizeof bytes);
        processor_register_write(processor, bytes, FIRST + i);
    }
}

/* The address of the pattern in the object; NULL unless it occurs exactly once. */
static uint8_t *pattern_find(uint8_t *object, const uint64_t pattern[REGISTERS])
{
    size_t bytes = malloc_usable_size(object), pattern_bytes = REGISTERS * REGISTER_BYTES;
    uint8_t *found = NULL;
    for (size_t at = 0; at + pattern_bytes <= bytes; at += REGISTER_BYTES) {
        if (memcmp(object + at, pattern, pattern_bytes) != 0)
            continue;
        if (found)
            return NULL;
        found = object + at;
    }
    return found;
}

static void *state_find(void)
{
    static const uint64_t PATTERN[REGISTERS] = {0xB0C4A11D5EED0001, 0x57A7E0F2B0C4A11D};
    void *processor = emulator.processor(0);
    uint64_t before[REGISTERS];
    for (int i = 0; i < REGISTERS; i++)
        before[i] = emulator_register(FIRST + i);
    registers_write(processor, PATTERN);
    uint8_t *found = pattern_find(processor, PATTERN);
    registers_write(processor, before);
    if (found)
        return found - (size_t)FIRST * REGISTER_BYTES;
    fprintf(stderr, "instrument: cannot find the processor's registers in this QEMU; use QEMU 7.2 to 10\n");
    exit(EXIT_FAILURE);
}

static void *state(void)
{
    static void *found;
    if (!found)
        found = state_find();
    return found;
}

bool processor_status(int number, uint64_t *value)
{
    return processor_status_read(state(), number, value, 0, 0, 0) == ALLOWED;
}

void processor_timer_restart(void)
{
    uint64_t at;
    if (processor_any_use(state(), TIMER_OF_SUPERVISOR, &at, 0, 0) == ALLOWED)
        processor_any_use(state(), TIMER_OF_SUPERVISOR, NULL, at, UINT64_MAX);
}
