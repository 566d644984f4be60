// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks the process's heap: allocates random blocks, each with its own content, which must not change.
#include "user/check.h"

#define BLOCKS 200u
#define STEPS 20000u
#define LARGEST 5000u

static struct {
    unsigned char *memory;
    size_t bytes;
    unsigned char content;
} blocks[BLOCKS];
static uint32_t state = 12345;
static HANDLE heap;

static uint32_t random(uint32_t below)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

static bool holds(unsigned i)
{
    bool whole = (uintptr_t)blocks[i].memory % 16 == 0 && HeapSize(heap, 0, blocks[i].memory) >= blocks[i].bytes;
    for (size_t at = 0; at < blocks[i].bytes; at++)
        whole &= blocks[i].memory[at] == blocks[i].content;
    return whole;
}

static bool step(uint32_t number)
{
    unsigned i = random(BLOCKS);
    if (blocks[i].memory != NULL) {
        bool good = holds(i) && HeapFree(heap, 0, blocks[i].memory);
        blocks[i].memory = NULL;
        return good;
    }
    blocks[i].bytes = random(20) == 0 ? random(LARGEST) : random(100);
    blocks[i].content = (unsigned char)number;
    blocks[i].memory = HeapAlloc(heap, 0, blocks[i].bytes);
    for (size_t at = 0; at < blocks[i].bytes && blocks[i].memory != NULL; at++)
        blocks[i].memory[at] = blocks[i].content;
    return blocks[i].memory != NULL;
}

static void many(void)
{
    unsigned good = 0;
    for (uint32_t number = 0; number < STEPS; number++)
        good += step(number);
    check(good == STEPS, "20,000 blocks come and go, and none has changed another");
    good = 0;
    for (unsigned i = 0; i < BLOCKS; i++) {
        good += blocks[i].memory == NULL || (holds(i) && HeapFree(heap, 0, blocks[i].memory));
        blocks[i].memory = NULL;
    }
    check(good == BLOCKS, "and all are given back");
}

// When all blocks are free, neighbours must be merged: large blocks fit where many small ones were.
static void becomes_one(void)
{
    unsigned char *first = HeapAlloc(heap, 0, 40000), *again;
    HeapFree(heap, 0, first);
    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i].memory = HeapAlloc(heap, 0, 180);
    for (unsigned i = 0; i < BLOCKS; i++)
        HeapFree(heap, 0, blocks[(i * 7) % BLOCKS].memory);
    again = HeapAlloc(heap, 0, 40000);
    check(first != NULL && again == first, "neighbours that are free become one");
    HeapFree(heap, 0, again);
}

static void large(void)
{
    unsigned char *block = HeapAlloc(heap, 0, HEAP_LARGE), *other = HeapAlloc(heap, HEAP_ZERO_MEMORY, HEAP_LARGE + 1);
    check(block != NULL && other != NULL && (uintptr_t)block % 0x10000 == 48 && (uintptr_t)other % 0x10000 == 48,
          "a large block has addresses of its own");
    block[0] = block[HEAP_LARGE - 1] = other[HEAP_LARGE] = 1;
    check(HeapSize(heap, 0, block) == HEAP_LARGE && HeapFree(heap, 0, block) && HeapFree(heap, 0, other)
              && VirtualAlloc(block - 48, 1, MEM_RESERVE, PAGE_READWRITE) == block - 48
              && VirtualFree(block - 48, 0, MEM_RELEASE),
          "which are free again with it");
    check(REFUSED(HeapAlloc(heap, 0, 64u << 20), NULL, ERROR_NOT_ENOUGH_MEMORY),
          "one for which there is no memory is refused");
}

static void refusals(void)
{
    unsigned char *block = HeapAlloc(heap, 0, 0), *neighbour = HeapAlloc(heap, 0, 1);
    check(block != NULL && neighbour != NULL && block != neighbour, "a block of no bytes is one");
    check(HeapFree(heap, 0, block) && REFUSED(HeapFree(heap, 0, block), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapFree(heap, 0, neighbour + 1), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapFree(heap, 0, NULL), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapFree(NULL, 0, neighbour), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapAlloc(heap, 1, 1), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapAlloc(heap, 0, SIZE_MAX), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapSize(heap, 0, NULL), SIZE_MAX, ERROR_INVALID_PARAMETER),
          "what is free already, no block, or of another heap is refused");
    for (unsigned i = 0; i < 64; i++)
        neighbour[i % HeapSize(heap, 0, neighbour)] = 1;
    HeapFree(heap, 0, neighbour);
    neighbour = HeapAlloc(heap, HEAP_ZERO_MEMORY, 16);
    bool zero = true;
    for (unsigned i = 0; i < 16; i++)
        zero &= neighbour[i] == 0;
    check(zero, "a block of zeros is one, whoever had it");
    HeapFree(heap, 0, neighbour);
}

DWORD program_main(LPCTSTR command)
{
    (void)command;
    heap = GetProcessHeap();
    many();
    becomes_one();
    large();
    refusals();
    return checks_failed();
}
