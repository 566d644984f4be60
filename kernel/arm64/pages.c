// SPDX-License-Identifier: MIT OR Apache-2.0
// The connector's window: its page where there is an instrument, else a page of memory, since here a device that is not there
// is an exception and not, as on a PC, a byte of ones.
#include "board.h"
#include "machine.h"

#define CONNECTOR_PAGE 0x0B000000
#define CONNECTOR_WINDOW_ENTRY 2 // of page_root: the GiB behind memory

extern uint64_t page_root[]; // boot.S

static _Alignas(PAGE_BYTES) uint64_t window_directory[PAGE_BYTES / 8], window_table[PAGE_BYTES / 8];
static _Alignas(PAGE_BYTES) uint8_t nobody[PAGE_BYTES];

void pages_init(void)
{
    window_table[0] =
        device_is_there(CONNECTOR_PAGE + PARALLEL_1) ? CONNECTOR_PAGE | PAGE_DEVICE : (uint64_t)nobody | PAGE_MEMORY;
    window_directory[0] = (uint64_t)window_table | PAGE_TABLE;
    page_root[CONNECTOR_WINDOW_ENTRY] = (uint64_t)window_directory | PAGE_TABLE;
    pages_forget();
}
