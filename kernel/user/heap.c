// SPDX-License-Identifier: MIT OR Apache-2.0
// The process's heap. Each call is constant work, but for the pages that it may ask the kernel for: free blocks stand in lists by
// size, four lists for each power of two and a bit for each that is not empty, and neighbours that are free become one. A block is
// taken from a list all of whose blocks are large enough. (Masmano, Ripoll, Crespo and Real, "TLSF", 2004, describe such a heap.)
#include "user/program.h"

#define HEADER_BYTES 16u
#define BLOCK_LEAST 32u
#define FREE 1u  // in size
#define LARGE 2u // has pages of its own
#define REGION_BYTES 0x10000u
#define HEAP_HANDLE ((HANDLE)16)
#define BITS_LEAST 5 // of BLOCK_LEAST
#define LISTS 64

struct block {
    size_t size;                  // with its header, and the bits above
    struct block *below;          // its neighbour; NULL: there is none
    struct block *next, *earlier; // in its list, while it is free
};

static struct block *lists[LISTS];
static uint64_t lists_used;
static CRITICAL_SECTION lock;

static size_t block_bytes(const struct block *block)
{
    return block->size & ~(size_t)(FREE | LARGE);
}

static struct block *block_above(struct block *block)
{
    return (struct block *)((char *)block + block_bytes(block));
}

// The list of blocks of that size: all in it are as large as its name says, and smaller than the next's.
static unsigned list_of(size_t bytes)
{
    unsigned bits = 63u - (unsigned)__builtin_clzll(bytes);
    return (bits - BITS_LEAST) * 4 + (unsigned)(bytes >> (bits - 2) & 3);
}

static void list_add(struct block *block)
{
    unsigned list = list_of(block_bytes(block));
    block->size |= FREE;
    block->next = lists[list];
    block->earlier = NULL;
    if (block->next != NULL)
        block->next->earlier = block;
    lists[list] = block;
    lists_used |= 1ull << list;
}

static void list_remove(struct block *block)
{
    unsigned list = list_of(block_bytes(block));
    block->size &= ~(size_t)FREE;
    if (block->next != NULL)
        block->next->earlier = block->earlier;
    if (block->earlier != NULL)
        block->earlier->next = block->next;
    else
        lists[list] = block->next;
    if (lists[list] == NULL)
        lists_used &= ~(1ull << list);
}

// One block more, between two headers that nobody frees: the one below it is not there, the one above is of no bytes.
static bool grow(size_t bytes)
{
    size_t all = (bytes + 2 * HEADER_BYTES + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
    struct block *block = VirtualAlloc(NULL, all, MEM_COMMIT, PAGE_READWRITE);
    if (block == NULL)
        return false;
    block->size = all - HEADER_BYTES;
    block_above(block)->below = block;
    list_add(block);
    return true;
}

// What is left above becomes a block, if it is large enough.
static void divide(struct block *block, size_t bytes)
{
    size_t left = block_bytes(block) - bytes;
    if (left < BLOCK_LEAST)
        return;
    block->size = bytes;
    struct block *rest = block_above(block);
    rest->size = left;
    rest->below = block;
    block_above(rest)->below = rest;
    list_add(rest);
}

// From the first list in which every block is large enough.
static struct block *take(size_t bytes)
{
    size_t step = bytes >> 2 ? (size_t)1 << (61u - (unsigned)__builtin_clzll(bytes)) : 1;
    uint64_t large_enough = lists_used & ~0ull << list_of(bytes + step - 1);
    if (large_enough == 0)
        return NULL;
    struct block *block = lists[__builtin_ctzll(large_enough)];
    list_remove(block);
    divide(block, bytes);
    return block;
}

static struct block *allocate(size_t bytes)
{
    EnterCriticalSection(&lock);
    struct block *block = take(bytes);
    if (block == NULL && grow(bytes + bytes / 4 + BLOCK_LEAST))
        block = take(bytes);
    LeaveCriticalSection(&lock);
    return block;
}

static struct block *allocate_large(size_t bytes)
{
    struct block *block = VirtualAlloc(NULL, bytes + HEADER_BYTES, MEM_COMMIT, PAGE_READWRITE);
    if (block != NULL)
        block->size = ((bytes + HEADER_BYTES + 15) & ~(size_t)15) | LARGE;
    return block;
}

HANDLE GetProcessHeap(void)
{
    return HEAP_HANDLE;
}

// Pages of its own are of zeros already.
LPVOID HeapAlloc(HANDLE heap, DWORD flags, size_t bytes)
{
    if (heap != HEAP_HANDLE || flags & ~HEAP_ZERO_MEMORY || bytes > SIZE_MAX / 2) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    size_t whole = (bytes + HEADER_BYTES + 15) & ~(size_t)15;
    whole = whole < BLOCK_LEAST ? BLOCK_LEAST : whole;
    struct block *block = bytes >= HEAP_LARGE ? allocate_large(bytes) : allocate(whole);
    if (block == NULL)
        return NULL;
    if (flags & HEAP_ZERO_MEMORY && bytes < HEAP_LARGE)
        __builtin_memset((char *)block + HEADER_BYTES, 0, whole - HEADER_BYTES);
    return (char *)block + HEADER_BYTES;
}

static void give(struct block *block)
{
    struct block *above = block_above(block), *below = block->below;
    if (above->size & FREE) {
        list_remove(above);
        block->size += above->size;
    }
    if (below != NULL && below->size & FREE) {
        list_remove(below);
        below->size += block->size;
        block = below;
    }
    block_above(block)->below = block;
    list_add(block);
}

static struct block *block_of(LPCVOID memory)
{
    struct block *block = (struct block *)((uintptr_t)memory - HEADER_BYTES);
    return memory == NULL || (uintptr_t)memory % 16 != 0 || block->size & FREE ? NULL : block;
}

BOOL HeapFree(HANDLE heap, DWORD flags, LPVOID memory)
{
    struct block *block = block_of(memory);
    if (heap != HEAP_HANDLE || flags != 0 || block == NULL) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    if (block->size & LARGE)
        return VirtualFree(block, 0, MEM_RELEASE);
    EnterCriticalSection(&lock);
    give(block);
    LeaveCriticalSection(&lock);
    return TRUE;
}

size_t HeapSize(HANDLE heap, DWORD flags, LPCVOID memory)
{
    const struct block *block = block_of(memory);
    if (heap != HEAP_HANDLE || flags != 0 || block == NULL) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return SIZE_MAX;
    }
    return block_bytes(block) - HEADER_BYTES;
}
