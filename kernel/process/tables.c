// SPDX-License-Identifier: MIT OR Apache-2.0
// See tables.h: free ones are a list through their first words.
#include "process/tables.h"

#include "process/frames.h"

#include "core/call.h"
#include "limits.h"
#include "port.h"
#include "process_inline.h"

DWORD dwOEMPTPoolSize = PAGE_TABLES_LEAST;
bool tables_zero_held;
uint32_t tables_of_pool, tables_zeroed;

static uint64_t *first;
static uint8_t *pool;
static uint32_t count;

bool tables_start(void)
{
    size_t bytes = (size_t)dwOEMPTPoolSize * PAGE_BYTES;
    if (dwOEMPTPoolSize < PAGE_TABLES_LEAST || dwOEMPTPoolSize > PAGE_TABLES_MOST)
        return false;
    pool = memory_take(bytes);
    for (size_t at = 0; pool != NULL && at < bytes; at += PAGE_BYTES)
        table_give((uint64_t *)(pool + at));
    return pool != NULL;
}

static uint64_t *table_take_beyond(void)
{
    if (tables_zero_held)
        kernel_enter();
    uint64_t *table = frame_take();
    if (tables_zero_held)
        kernel_leave();
    tables_zeroed += table != NULL;
    return table;
}

uint64_t *table_take(void)
{
    uint64_t *table = first;
    if (table == NULL)
        return table_take_beyond();
    first = (uint64_t *)table[0];
    table[0] = 0;
    count--;
    tables_of_pool++;
    return table;
}

void table_give(uint64_t *table)
{
    if ((size_t)((uint8_t *)table - pool) >= (size_t)dwOEMPTPoolSize * PAGE_BYTES) {
        frame_give(table);
        return;
    }
    table[0] = (uint64_t)first;
    first = table;
    count++;
}

uint32_t tables_free(void)
{
    return count;
}
