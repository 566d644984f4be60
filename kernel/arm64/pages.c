// SPDX-License-Identifier: MIT OR Apache-2.0
// Page tables: small pages of memory, and the connector's window. Without an instrument, the window maps a page of memory,
// because an access to a missing device causes an exception here (a PC reads ones). The GPIO controller's page follows the window
// (output_pulse_taken). Arm Architecture Reference Manual for A-profile, D5.3 (translation table descriptors).
#include "board.h"
#include "machine.h"
#include "port.h"

#define PAGE_LARGE_BYTES 0x200000
#define PAGE_IS_TABLE 0x2 // set: a table; clear: a block

#define CONNECTOR_PAGE 0x0B000000
#define CONNECTOR_WINDOW_ENTRY 2 // index in page_root: the GiB after the memory

extern uint64_t page_root[], page_directory[]; // in boot.S; the second has an entry for each large page of memory

_Alignas(PAGE_BYTES) uint64_t connector_table[PAGE_TABLE_ENTRIES];
static _Alignas(PAGE_BYTES) uint64_t window_directory[PAGE_TABLE_ENTRIES];
static _Alignas(PAGE_BYTES) uint8_t nobody[PAGE_BYTES];

void pages_init(void)
{
    connector_table[0] =
        device_is_there(CONNECTOR_PAGE + PARALLEL_1) ? CONNECTOR_PAGE | PAGE_DEVICE : (uint64_t)nobody | PAGE_MEMORY;
    connector_table[1] = GPIO | PAGE_DEVICE;
    window_directory[0] = (uint64_t)connector_table | PAGE_TABLE;
    page_root[CONNECTOR_WINDOW_ENTRY] = (uint64_t)window_directory | PAGE_TABLE;
    pages_forget();
}

// The table of the large page that contains the address. The first call divides the large page into small ones with the
// same attributes. So it does not matter whether the TLB still holds the large page or already the small ones.
uint64_t *page_table(uint64_t address)
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
