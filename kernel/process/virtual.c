// SPDX-License-Identifier: MIT OR Apache-2.0
// VirtualAlloc and VirtualFree: addresses are reserved in units of 64 KiB, and their pages committed in units of 4 KiB. A
// process's reservations are sorted by address, so one pass over them finds a free range.
#include "process/virtual.h"

#include "process/registry.h"
#include "process/entries.h"
#include "process/frames.h"
#include "process/handles.h"
#include "process/low.h"
#include "process/mapping.h"
#include "process/pages.h"
#include "process/user.h"

#include "core/error.h"

#define GRANULARITY 0x10000ull
#define TABLES_MORE 2 // in addition to one for each 512 pages, because a range may begin and end within a table

static uint64_t round_down(uint64_t value, uint64_t to)
{
    return value & ~(to - 1);
}

// The reservation (of VirtualAlloc or a view) that contains the whole range; NULL if there is none.
static struct reservation *reservation_of(struct process *process, uint64_t address, uint64_t bytes, bool view)
{
    for (uint32_t i = 0; i < process->reservation_count; i++) {
        struct reservation *found = &process->reservations[i];
        if (address >= found->start && address - found->start < found->bytes)
            return bytes <= found->bytes - (address - found->start) && view == (found->mapping != NULL) ? found : NULL;
    }
    return NULL;
}

// Finds the place of a new reservation of that size among the sorted ones, and its address: the first free or the
// requested address.
static bool stretch_find(const struct process *process, uint64_t bytes, uint64_t *address, uint32_t *place)
{
    uint64_t free_from = USER_VIRTUAL;
    for (uint32_t i = 0; i <= process->reservation_count; i++) {
        const struct reservation *next = &process->reservations[i];
        uint64_t free_to = i < process->reservation_count ? next->start : USER_VIRTUAL_END;
        uint64_t start = *address != 0 ? *address : free_from;
        if (start >= free_from && start <= free_to && bytes <= free_to - start) {
            *address = start;
            *place = i;
            return true;
        }
        free_from = i < process->reservation_count ? next->start + next->bytes : free_to;
    }
    return false;
}

static DWORD reserve(struct process *process, uint64_t *address, uint64_t bytes)
{
    uint32_t place;
    bool anywhere = *address == 0;
    bytes = round_down(bytes + GRANULARITY - 1 + (*address & (GRANULARITY - 1)), GRANULARITY);
    *address = round_down(*address, GRANULARITY);
    if (process->reservation_count == PROCESS_RESERVATIONS_MAX)
        return ERROR_NOT_ENOUGH_MEMORY;
    if (*address < USER_VIRTUAL && !anywhere)
        return ERROR_INVALID_ADDRESS;
    if (!stretch_find(process, bytes, address, &place))
        return anywhere ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_ADDRESS;
    for (uint32_t i = process->reservation_count++; i > place; i--)
        process->reservations[i] = process->reservations[i - 1];
    process->reservations[place] = (struct reservation){*address, bytes, NULL};
    return ERROR_SUCCESS;
}

static bool there_is_memory(uint64_t pages, uint64_t mapped)
{
    return pages + mapped / 512 + TABLES_MORE <= frames_free();
}

// Commits all pages, or none if there are not enough.
static DWORD commit(struct process *process, uint64_t address, uint64_t bytes, uint64_t allows)
{
    uint64_t first = round_down(address, PAGE_BYTES), end = address + bytes;
    uint64_t pages = (end - first + PAGE_BYTES - 1) / PAGE_BYTES;
    if (!there_is_memory(pages, pages) || !low_allows(pages, frames_free()))
        return ERROR_NOT_ENOUGH_MEMORY;
    for (uint64_t at = first; at < end; at += PAGE_BYTES)
        pages_map(process, at, allows);
    return ERROR_SUCCESS;
}

// False if the protection is invalid. PAGE_NOACCESS is valid only for addresses that are not committed.
static bool protection_read(uint64_t protection, uint64_t type, uint64_t *allows)
{
    bool writes = protection == PAGE_READWRITE || protection == PAGE_EXECUTE_READWRITE;
    bool runs = protection == PAGE_EXECUTE_READ || protection == PAGE_EXECUTE_READWRITE;
    *allows = (writes ? PAGE_WRITE : 0) | (runs ? 0 : PAGE_NO_CODE);
    return writes || runs || protection == PAGE_READONLY || (protection == PAGE_NOACCESS && !(type & MEM_COMMIT));
}

static void reservation_forget(struct process *process, struct reservation *reservation)
{
    struct reservation *last = &process->reservations[--process->reservation_count];
    pages_unmap(process, reservation->start, reservation->bytes);
    if (reservation->mapping != NULL)
        mapping_close(reservation->mapping);
    for (; reservation < last; reservation++)
        reservation[0] = reservation[1];
}

// Without an address, committing also reserves.
static DWORD allocate(uint64_t *address, uint64_t bytes, uint64_t type, uint64_t allows)
{
    struct process *process = process_current;
    bool reserves = type & MEM_RESERVE || *address == 0;
    uint64_t start = *address;
    DWORD refused = ERROR_SUCCESS;
    if (reserves)
        refused = reserve(process, &start, bytes);
    else if (reservation_of(process, start, bytes, false) == NULL)
        refused = ERROR_INVALID_ADDRESS;
    if (refused != ERROR_SUCCESS)
        return refused;
    if (type & MEM_COMMIT)
        refused = commit(process, *address != 0 ? *address : start, bytes, allows);
    if (refused != ERROR_SUCCESS && reserves)
        reservation_forget(process, reservation_of(process, start, 1, false));
    *address = round_down(start, PAGE_BYTES);
    return refused;
}

uint64_t call_VirtualAlloc(uint64_t address, uint64_t bytes, uint64_t type, uint64_t protection)
{
    uint64_t allows;
    if (bytes == 0 || bytes > USER_BYTES || type == 0 || type & ~(uint64_t)(MEM_COMMIT | MEM_RESERVE)
        || !protection_read(protection, type, &allows))
        return thread_error(ERROR_INVALID_PARAMETER);
    process_lock();
    DWORD refused = allocate(&address, bytes, type, allows);
    process_unlock();
    return refused == ERROR_SUCCESS ? address : thread_error(refused);
}

static DWORD release(uint64_t address, uint64_t bytes, uint64_t type)
{
    struct process *process = process_current;
    struct reservation *reservation = reservation_of(process, address, bytes, false);
    if (reservation == NULL)
        return ERROR_INVALID_ADDRESS;
    if (type == MEM_DECOMMIT) {
        uint64_t first = round_down(address, PAGE_BYTES);
        pages_unmap(process, first, address + bytes - first);
        return ERROR_SUCCESS;
    }
    if (reservation->start != address)
        return ERROR_INVALID_ADDRESS;
    reservation_forget(process, reservation);
    return ERROR_SUCCESS;
}

// A reservation must be released as a whole: bytes must be 0.
uint64_t call_VirtualFree(uint64_t address, uint64_t bytes, uint64_t type)
{
    if ((type != MEM_DECOMMIT && type != MEM_RELEASE) || (type == MEM_RELEASE) != (bytes == 0) || bytes > USER_BYTES)
        return thread_error(ERROR_INVALID_PARAMETER);
    process_lock();
    DWORD refused = release(address, bytes, type);
    process_unlock();
    return refused == ERROR_SUCCESS || thread_error(refused);
}

// Maps the shared pages at addresses of the running process, which counts as one more use.
static DWORD view(struct mapping *mapping, uint64_t allows, uint64_t *address)
{
    struct process *process = process_current;
    if (mapping == NULL)
        return ERROR_INVALID_HANDLE;
    DWORD refused = there_is_memory(0, mapping->pages) ? reserve(process, address, mapping->pages * PAGE_BYTES)
                                                       : ERROR_NOT_ENOUGH_MEMORY;
    if (refused != ERROR_SUCCESS)
        return refused;
    for (uint32_t i = 0; i < mapping->pages; i++)
        pages_share(process, *address + i * PAGE_BYTES, mapping->frames[i], allows | PAGE_NO_CODE);
    reservation_of(process, *address, 1, false)->mapping = mapping;
    mapping->uses++;
    return ERROR_SUCCESS;
}

uint64_t call_view_make(uint64_t handle, uint64_t writes)
{
    uint64_t address = 0;
    process_lock();
    DWORD refused = view(handle_mapping(handle), writes != 0 ? PAGE_WRITE : 0, &address);
    process_unlock();
    return refused == ERROR_SUCCESS ? address : thread_error(refused);
}

uint64_t call_UnmapViewOfFile(uint64_t address)
{
    process_lock();
    struct reservation *reservation = reservation_of(process_current, address, 1, true);
    bool known = reservation != NULL && reservation->start == address;
    if (known)
        reservation_forget(process_current, reservation);
    process_unlock();
    return known || thread_error(ERROR_INVALID_ADDRESS);
}

void views_close(struct process *process)
{
    for (uint32_t i = 0; i < process->reservation_count; i++)
        if (process->reservations[i].mapping != NULL)
            mapping_close(process->reservations[i].mapping);
    process->reservation_count = 0;
}

// When this call returns, each page of the range is present, including stack pages; memory is never paged out. The call
// fails at a page that is not the caller's or that does not permit the access.
uint64_t call_pages_lock(uint64_t address, uint64_t bytes, uint64_t writes)
{
    uint8_t byte;
    uint64_t end = address + bytes;
    if (bytes == 0 || bytes > USER_BYTES || !user_holds(address, bytes))
        return thread_error(ERROR_INVALID_PARAMETER);
    for (uint64_t at = round_down(address, PAGE_BYTES); at < end; at += PAGE_BYTES)
        if (!(writes ? user_touch((void *)at) : user_read(&byte, at, 1)))
            return thread_error(ERROR_NOACCESS);
    return TRUE;
}

// A handle of the existing shared memory, or of a new one.
uint64_t call_mapping_make(uint64_t name_from, uint64_t bytes)
{
    char name[PROCESS_NAME_CHARS] = "";
    uint64_t handle = 0;
    if (bytes == 0 || bytes > MAPPING_PAGES_MAX * PAGE_BYTES)
        return thread_error(ERROR_INVALID_PARAMETER);
    if (name_from != 0 && !text_read(name, name_from, sizeof name))
        return 0;
    process_lock();
    struct mapping *mapping = mapping_open(name, (uint32_t)((bytes + PAGE_BYTES - 1) / PAGE_BYTES));
    if (mapping != NULL)
        handle = handle_give_mapping(process_current, mapping);
    process_unlock();
    return handle;
}
