// SPDX-License-Identifier: MIT OR Apache-2.0
// What ports/stacks.c asks of an arm64 board: pages that are not there, and what a switch takes from a stack.
// Arm Architecture Reference Manual for A-profile, D5.3 (translation table descriptors).
#ifndef DETENT_STACKS_INLINE_H
#define DETENT_STACKS_INLINE_H

#include "core/create.h"
#include "machine.h"
#include "port.h"

#define PAGE_LARGE_BYTES 0x200000
#define PAGE_TABLE_ENTRIES 512
#define PAGE_IS_TABLE 0x2 // else a block

extern uint64_t page_directory[]; // boot.S: an entry for each large page of memory

// The table of the large page in which the address lies, which is divided into small ones the first time. The pages are the
// block's, with its attributes, so whichever of the two the processor remembers is right.
static uint64_t *page_table(uint64_t address)
{
    uint64_t *directory = &page_directory[(address - RAM) / PAGE_LARGE_BYTES];
    if (*directory & PAGE_IS_TABLE)
        return (uint64_t *)(*directory & ~(uint64_t)(PAGE_BYTES - 1));
    uint64_t *table = memory_take(PAGE_BYTES);
    if (table == NULL)
        return NULL;
    for (uint64_t i = 0; i < PAGE_TABLE_ENTRIES; i++)
        table[i] = (address / PAGE_LARGE_BYTES * PAGE_TABLE_ENTRIES + i) * PAGE_BYTES | PAGE_MEMORY;
    *directory = (uint64_t)table | PAGE_TABLE;
    return table;
}

static void page_remove(uint64_t *table, uint64_t address)
{
    table[address / PAGE_BYTES % PAGE_TABLE_ENTRIES] = 0;
    pages_forget();
}

// What switch_plain takes up: x29, where to begin, eight registers, whatever they hold.
static inline void *stack_first(struct fpu_area *top)
{
    uint64_t *stack = (uint64_t *)top - SWITCH_BYTES / sizeof(uint64_t);
    stack[0] = 0;
    stack[1] = (uint64_t)thread_begin;
    return stack;
}

#endif
