// SPDX-License-Identifier: MIT OR Apache-2.0
// What ports/stacks.c needs on a PC: unmapped pages, and the initial stack contents for a switch. AMD64 Architecture Programmer's
// Manual volume 2, 5.3 (long-mode page translation).
#ifndef DETENT_STACKS_INLINE_H
#define DETENT_STACKS_INLINE_H

#include "core/create.h"
#include "machine.h"
#include "port.h"

#define PAGE_LARGE_BYTES 0x200000
#define PAGE_TABLE_ENTRIES 512
#define PAGE_USED 0x03 // present, writable
#define PAGE_LARGE 0x80

extern uint64_t page_directories[]; // boot.S: an entry for each large page

// The table of the large page that contains the address. The first call divides that page into small ones.
static uint64_t *page_table(uint64_t address)
{
    uint64_t *directory = &page_directories[address / PAGE_LARGE_BYTES];
    if (!(*directory & PAGE_LARGE))
        return (uint64_t *)(*directory & ~(uint64_t)(PAGE_BYTES - 1));
    uint64_t *table = memory_take(PAGE_BYTES);
    if (table == NULL)
        return NULL;
    for (uint64_t i = 0; i < PAGE_TABLE_ENTRIES; i++)
        table[i] = (address / PAGE_LARGE_BYTES * PAGE_TABLE_ENTRIES + i) * PAGE_BYTES | PAGE_USED;
    *directory = (uint64_t)table | PAGE_USED;
    return table;
}

static void page_remove(uint64_t *table, uint64_t address)
{
    table[address / PAGE_BYTES % PAGE_TABLE_ENTRIES] = 0;
    pages_forget();
}

// The frame that switch_plain pops.
static inline void *stack_first(struct fpu_area *top)
{
    void **stack = (void **)top - 8; // six registers of any value, the start address, a return address
    stack[6] = (void *)thread_begin;
    return stack;
}

#endif
