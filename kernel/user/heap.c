// SPDX-License-Identifier: MIT OR Apache-2.0
// The heap functions of detent.h: the process's default heap, and others that it creates. Each heap has its own regions, lock and
// blocks (blocks.h), so one part of a program neither delays another nor fragments its memory. Destroying a heap frees all its
// memory.
#include "limits.h"
#include "user/blocks.h"

#define HEAP_HANDLE_STEP 16u // a heap's handle is its number times this

static struct heap first = {.number = 1};
static struct heap *heaps[PROCESS_HEAPS_MAX] = {&first};
static CRITICAL_SECTION lock; // protects the table

static LPVOID refused(DWORD error)
{
    SetLastError(error);
    return NULL;
}

// NULL if the handle is not a heap's.
static struct heap *heap_of(HANDLE handle)
{
    uintptr_t number = (uintptr_t)handle / HEAP_HANDLE_STEP;
    bool may_be = (uintptr_t)handle % HEAP_HANDLE_STEP == 0 && number >= 1 && number <= PROCESS_HEAPS_MAX;
    return may_be ? heaps[number - 1] : NULL;
}

static HANDLE handle_of(const struct heap *heap)
{
    return (HANDLE)(uintptr_t)(heap->number * HEAP_HANDLE_STEP);
}

HANDLE GetProcessHeap(void)
{
    return handle_of(&first);
}

// A heap's own data is in its first region.
static struct heap *heap_make(uint64_t number, size_t initial, size_t most)
{
    struct heap beginning = {.number = number, .most = most};
    size_t behind = (sizeof(struct region) + sizeof(struct heap) + 15) & ~(size_t)15;
    struct region *region = region_get(&beginning, initial + behind + 2 * HEADER_BYTES);
    if (region == NULL)
        return NULL;
    struct heap *heap = (struct heap *)(region + 1);
    *heap = beginning;
    InitializeCriticalSection(&heap->lock);
    region_use(heap, region, behind);
    return heap;
}

HANDLE HeapCreate(DWORD flags, size_t initial, size_t maximum)
{
    if (flags & ~HEAP_NO_SERIALIZE || initial > HEAP_BYTES_MAX || (maximum != 0 && initial > maximum))
        return refused(ERROR_INVALID_PARAMETER);
    HANDLE handle = NULL;
    uint32_t place = 0;
    EnterCriticalSection(&lock);
    while (place < PROCESS_HEAPS_MAX && heaps[place] != NULL)
        place++;
    if (place == PROCESS_HEAPS_MAX)
        refused(ERROR_NOT_ENOUGH_MEMORY);
    else if ((heaps[place] = heap_make(place + 1, initial, maximum)) != NULL)
        handle = handle_of(heaps[place]);
    LeaveCriticalSection(&lock);
    return handle;
}

// Free the heap's own region last.
BOOL HeapDestroy(HANDLE handle)
{
    EnterCriticalSection(&lock);
    struct heap *heap = heap_of(handle);
    bool known = heap != NULL && heap != &first;
    if (known) {
        struct heap end = *heap;
        heaps[heap->number - 1] = NULL;
        while (end.regions != NULL)
            region_forget(&end, end.regions);
    }
    LeaveCriticalSection(&lock);
    return known || refused(ERROR_INVALID_PARAMETER) != NULL;
}

// New pages are zeroed, and a large block has a region of its own.
LPVOID HeapAlloc(HANDLE handle, DWORD flags, size_t bytes)
{
    struct heap *heap = heap_of(handle);
    if (heap == NULL || flags & ~HEAP_ZERO_MEMORY || bytes > SIZE_MAX / 2)
        return refused(ERROR_INVALID_PARAMETER);
    if (bytes > HEAP_BYTES_MAX)
        return refused(ERROR_NOT_ENOUGH_MEMORY);
    size_t whole = (bytes + HEADER_BYTES + 15) & ~(size_t)15;
    EnterCriticalSection(&heap->lock);
    struct block *block = bytes >= HEAP_LARGE ? block_take_large(heap, whole) : block_take(heap, whole);
    LeaveCriticalSection(&heap->lock);
    if (block == NULL)
        return NULL;
    char *memory = (char *)block + HEADER_BYTES;
    if (flags & HEAP_ZERO_MEMORY && bytes < HEAP_LARGE)
        __builtin_memset(memory, 0, whole - HEADER_BYTES);
    return memory;
}

// NULL if the memory is not a block of that heap, or the flags are invalid.
static struct block *block_known(const struct heap *heap, DWORD flags, LPCVOID memory)
{
    return heap != NULL && flags == 0 ? block_of(heap, memory) : NULL;
}

BOOL HeapFree(HANDLE handle, DWORD flags, LPVOID memory)
{
    struct heap *heap = heap_of(handle);
    struct block *block = block_known(heap, flags, memory);
    if (block == NULL)
        return refused(ERROR_INVALID_PARAMETER) != NULL;
    EnterCriticalSection(&heap->lock);
    block_give(heap, block);
    LeaveCriticalSection(&heap->lock);
    return TRUE;
}

size_t HeapSize(HANDLE handle, DWORD flags, LPCVOID memory)
{
    const struct block *block = block_known(heap_of(handle), flags, memory);
    if (block == NULL)
        refused(ERROR_INVALID_PARAMETER);
    return block == NULL ? SIZE_MAX : block_bytes(block) - HEADER_BYTES;
}

// Keeps the contents. Additional bytes are zeroed if requested.
LPVOID HeapReAlloc(HANDLE handle, DWORD flags, LPVOID memory, size_t bytes)
{
    const struct block *block = block_known(heap_of(handle), flags & ~HEAP_ZERO_MEMORY, memory);
    if (block == NULL)
        return refused(ERROR_INVALID_PARAMETER);
    size_t before = block_bytes(block) - HEADER_BYTES;
    LPVOID other = HeapAlloc(handle, flags, bytes);
    if (other == NULL)
        return NULL;
    __builtin_memcpy(other, memory, before < bytes ? before : bytes);
    HeapFree(handle, 0, memory);
    return other;
}

BOOL HeapValidate(HANDLE handle, DWORD flags, LPCVOID memory)
{
    struct heap *heap = heap_of(handle);
    if (heap == NULL || flags != 0)
        return refused(ERROR_INVALID_PARAMETER) != NULL;
    EnterCriticalSection(&heap->lock);
    bool whole = memory != NULL ? block_of(heap, memory) != NULL : blocks_whole(heap);
    LeaveCriticalSection(&heap->lock);
    return whole;
}
