// SPDX-License-Identifier: MIT OR Apache-2.0
// What ports/stacks.c needs on arm64: unmapped pages, and the initial stack contents for a switch.
#ifndef DETENT_STACKS_INLINE_H
#define DETENT_STACKS_INLINE_H

#include "core/create.h"
#include "machine.h"
#include "port.h"

static void page_remove(uint64_t *table, uint64_t address)
{
    *page_entry(table, address) = 0;
    pages_forget();
}

// What switch_plain pops: x29, the start address, and eight registers with any contents.
static inline void *stack_first(struct fpu_area *top)
{
    uint64_t *stack = (uint64_t *)top - SWITCH_BYTES / sizeof(uint64_t);
    stack[0] = 0;
    stack[1] = (uint64_t)thread_begin;
    return stack;
}

#endif
