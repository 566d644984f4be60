// SPDX-License-Identifier: MIT OR Apache-2.0
// arm64's page tables: four levels of 512 entries, addresses of 48 bits. Arm Architecture Reference Manual for A-profile, D5.3
// (descriptors), D5.4 (access permissions), D5.10 (ASIDs).
#ifndef DETENT_PAGES_INLINE_H
#define DETENT_PAGES_INLINE_H

#include "process_inline.h"

// Permissions of a process's page besides reading. The first bit is for software only; the CPU's own bit
// (LEAF_READ_ONLY) means the opposite.
#define PAGE_WRITE (1ull << 55)
#define PAGE_NO_CODE (1ull << 54)

#define ENTRY_PRESENT 0x1ull
#define ENTRY_TABLE 0x3ull
#define ENTRY_SHARED (1ull << 56) // ignored by the CPU: the process does not own the page
#define ENTRY_ADDRESS 0x0000FFFFFFFFF000ull
#define LEAF_READ_ONLY 0x80ull
#define LEAF_USER (PAGE_MEMORY | 0x840ull | 1ull << 53) // for user mode, of one process, not executable by the kernel

#define ROOT_PLACE_SHIFT 48
#define ROOT_PLACES 256

static inline uint64_t leaf_of(uint64_t frame, uint64_t allows)
{
    return frame | LEAF_USER | (allows & PAGE_WRITE ? 0 : LEAF_READ_ONLY) | allows;
}

// Combines two entries into one that permits everything that at least one of them permits.
static inline void leaf_allow(uint64_t *leaf, uint64_t allows)
{
    uint64_t both = (*leaf | (allows & PAGE_WRITE)) & (allows | ~PAGE_NO_CODE);
    *leaf = both & PAGE_WRITE ? both & ~LEAF_READ_ONLY : both;
}

// The root of a process's tables. It contains the process's index as the CPU's address space number; the kernel's is 0.
static inline uint64_t root_of(const uint64_t *table, uint64_t place)
{
    return (uint64_t)table | (place + 1) << ROOT_PLACE_SHIFT;
}
_Static_assert(PROCESSES_MAX < ROOT_PLACES, "a number for each process");

// Invalidates the TLB entries of that process index, because the next process with the same index has other tables.
static inline void root_forget(uint64_t root)
{
    __asm__ volatile("dsb ishst\n\ttlbi aside1, %0\n\tdsb ish\n\tisb" : : "r"(root) : "memory");
}

// For an entry that was empty: makes the CPU's table walk find the entry from here on.
static inline void page_appears(void)
{
    __asm__ volatile("dsb ishst\n\tisb" : : : "memory");
}

// There are no I/O ports. A process with permission gets the connector's page (or memory in its place), mapped at its first
// access. Returns the page with its attributes; 0 if the address is another one, or these flags do not permit it.
static inline uint64_t ports_page(uint64_t flags, uint64_t address)
{
    if (address - CONNECTOR_WINDOW_OF_USER >= PAGE_BYTES || !(flags & USER_FLAGS_OF_PORTS))
        return 0;
    return connector_table[0] & (ENTRY_ADDRESS | PAGE_ATTRIBUTES);
}

#endif
