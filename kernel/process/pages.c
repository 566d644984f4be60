// SPDX-License-Identifier: MIT OR Apache-2.0
// Page tables of four levels with 512 entries. The format of an entry is the machine's (pages_inline.h).
#include "process/pages.h"

#include "process/process.h"

#include "process/frames.h"
#include "process/tables.h"

#define ENTRIES 512
#define ROOT_LEVEL 3
#define LEVEL_SHIFT(level) (12 + 9 * (level))
#define USER_ENTRY (USER_START >> LEVEL_SHIFT(ROOT_LEVEL)) // index in the root table

static uint64_t *entry_of(uint64_t *table, unsigned level, uint64_t address)
{
    return &table[address >> LEVEL_SHIFT(level) & (ENTRIES - 1)];
}

static uint64_t *table_of(uint64_t entry)
{
    return (uint64_t *)(entry & ENTRY_ADDRESS);
}

// The lowest-level entry for that address; NULL if a table on the way is missing and none is made.
static uint64_t *leaf_find(const struct process *process, uint64_t address, bool make)
{
    uint64_t *table = table_of(process->root);
    for (unsigned level = ROOT_LEVEL; level > 0; level--) {
        uint64_t *entry = entry_of(table, level, address);
        if (!(*entry & ENTRY_PRESENT)) {
            uint64_t *below = make ? table_take() : NULL;
            if (below == NULL)
                return NULL;
            *entry = (uint64_t)below | ENTRY_TABLE;
        }
        table = table_of(*entry);
    }
    return entry_of(table, 0, address);
}

bool pages_make(struct process *process)
{
    uint64_t *root = frame_take();
    if (root == NULL)
        return false;
    for (unsigned i = 0; i < ENTRIES; i++)
        root[i] = i == USER_ENTRY ? 0 : table_of(process_none.root)[i];
    process->root = root_of(root, (uint64_t)(process - processes));
    return true;
}

// Frees the table, zeroed, and everything below it; the recursion is at most ROOT_LEVEL deep.
static void table_clear(uint64_t *table, unsigned level)
{
    for (unsigned i = 0; i < ENTRIES; i++)
        if (table[i] & ENTRY_PRESENT) {
            uint64_t entry = table[i];
            table[i] = 0;
            if (level > 0)
                table_clear(table_of(entry), level - 1);
            else if (!(entry & ENTRY_SHARED))
                frame_give(table_of(entry));
        }
    table_give(table);
}

void pages_destroy(struct process *process)
{
    uint64_t *root = table_of(process->root);
    process->root = 0;
    if (root[USER_ENTRY] & ENTRY_PRESENT)
        table_clear(table_of(root[USER_ENTRY]), ROOT_LEVEL - 1);
    root_forget(root_of(root, (uint64_t)(process - processes)));
    frame_give(root);
}

uint8_t *pages_map(struct process *process, uint64_t address, uint64_t allows)
{
    uint64_t *leaf = leaf_find(process, address, true);
    if (leaf == NULL)
        return NULL;
    if (*leaf & ENTRY_PRESENT) {
        leaf_allow(leaf, allows);
        page_forget(address); // otherwise the CPU may keep using the old permissions
    } else {
        uint64_t *frame = frame_take();
        if (frame == NULL)
            return NULL;
        *leaf = leaf_of((uint64_t)frame, allows);
        page_appears();
    }
    return (uint8_t *)table_of(*leaf);
}

bool pages_share(struct process *process, uint64_t address, uint64_t frame, uint64_t allows)
{
    uint64_t *leaf = leaf_find(process, address, true);
    if (leaf != NULL)
        *leaf = leaf_of(frame, allows) | ENTRY_SHARED;
    page_appears();
    return leaf != NULL;
}

void pages_unmap(struct process *process, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; at < address + bytes; at += PAGE_BYTES) {
        uint64_t *leaf = leaf_find(process, at, false);
        if (leaf == NULL)
            at |= (PAGE_BYTES * ENTRIES - 1) & ~(uint64_t)(PAGE_BYTES - 1); // the last page of a missing table
        if (leaf == NULL || !(*leaf & ENTRY_PRESENT))
            continue;
        uint64_t entry = *leaf;
        *leaf = 0;
        page_forget(at);
        if (!(entry & ENTRY_SHARED))
            frame_give(table_of(entry));
    }
}

uint8_t *pages_there(const struct process *process, uint64_t address, uint64_t *allows)
{
    const uint64_t *leaf = leaf_find(process, address, false);
    if (leaf == NULL || !(*leaf & ENTRY_PRESENT))
        return NULL;
    *allows = *leaf & (PAGE_WRITE | PAGE_NO_CODE);
    return (uint8_t *)table_of(*leaf);
}
