// SPDX-License-Identifier: MIT OR Apache-2.0
// A PC's page tables. AMD64 Architecture Programmer's Manual volume 2, 5.3 (four levels of 512 entries), 5.6 (protection).
#ifndef DETENT_PAGES_INLINE_H
#define DETENT_PAGES_INLINE_H

#include "process_inline.h"

// Permissions of a process's page besides reading.
#define PAGE_WRITE 0x2ull
#define PAGE_NO_CODE (1ull << 63)

#define ENTRY_PRESENT 0x1ull
#define ENTRY_USER 0x4ull
#define ENTRY_TABLE (ENTRY_PRESENT | PAGE_WRITE | ENTRY_USER)
#define ENTRY_SHARED 0x200ull // ignored by the CPU: the process does not own the page
#define ENTRY_ADDRESS 0x000FFFFFFFFFF000ull

static inline uint64_t leaf_of(uint64_t frame, uint64_t allows)
{
    return frame | ENTRY_PRESENT | ENTRY_USER | allows;
}

// Combines two entries into one that permits everything that at least one of them permits.
static inline void leaf_allow(uint64_t *leaf, uint64_t allows)
{
    *leaf |= allows & PAGE_WRITE;
    *leaf &= allows | ~PAGE_NO_CODE;
}

// The root of a process's tables. The CPU drops its TLB entries when a root is loaded.
static inline uint64_t root_of(const uint64_t *table, uint64_t place)
{
    (void)place;
    return (uint64_t)table;
}

static inline void root_forget(uint64_t root)
{
    (void)root;
}

// For an entry that was empty. Does nothing, because the TLB cannot contain the entry.
static inline void page_appears(void)
{
}

// A PC's I/O ports are not a page of memory.
static inline uint64_t ports_page(uint64_t flags, uint64_t address)
{
    (void)flags, (void)address;
    return 0;
}

#endif
