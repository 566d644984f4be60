// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks the heaps that a process creates in addition to its default heap.
#include "limits.h"
#include "user/check.h"

#define BLOCKS 300u

static void apart(void)
{
    HANDLE one = HeapCreate(0, 0, 0), two = HeapCreate(HEAP_NO_SERIALIZE, 100000, 0);
    char *block = HeapAlloc(one, 0, 100), *other = HeapAlloc(two, HEAP_ZERO_MEMORY, 90000);
    check(one != NULL && two != NULL && one != two && block != NULL && other != NULL && other[89999] == 0,
          "heaps are made, and have blocks");
    check(REFUSED(HeapFree(two, 0, block), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapFree(GetProcessHeap(), 0, block), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapSize(two, 0, block), SIZE_MAX, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapReAlloc(two, 0, block, 5), NULL, ERROR_INVALID_PARAMETER) && !HeapValidate(two, 0, block)
              && HeapValidate(one, 0, block),
          "a block is its own heap's");
    check(HeapFree(one, 0, block) && HeapFree(two, 0, other) && HeapDestroy(one) && HeapDestroy(two), "they end");
    check(REFUSED(HeapAlloc(one, 0, 1), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapDestroy(one), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapValidate(one, 0, NULL), FALSE, ERROR_INVALID_PARAMETER),
          "and are heaps no more");
}

// Destroying a heap returns all its memory, so a program can create and destroy heaps any number of times.
static void end_with_blocks(void)
{
    unsigned good = 0;
    for (unsigned round = 0; round < 40; round++) {
        HANDLE heap = HeapCreate(0, 0, 0);
        for (unsigned i = 0; i < BLOCKS; i++)
            HeapAlloc(heap, 0, 1000);
        LPVOID large = HeapAlloc(heap, 0, HEAP_LARGE);
        good += large != NULL && HeapValidate(heap, 0, NULL) && HeapDestroy(heap);
    }
    check(good == 40, "a heap that ends gives back its blocks, large ones too: 40 of 500 KiB one after another");
}

static void bounds(void)
{
    HANDLE heap = HeapCreate(0, 0, 0x20000), many[PROCESS_HEAPS_MAX];
    unsigned count = 0, blocks = 0;
    while (blocks < 1000 && HeapAlloc(heap, 0, 1000) != NULL)
        blocks++;
    check(blocks > 100 && blocks < 131 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY
              && REFUSED(HeapAlloc(heap, 0, HEAP_LARGE), NULL, ERROR_NOT_ENOUGH_MEMORY) && HeapDestroy(heap),
          "a heap grows to its maximum, and no further");
    while (count < PROCESS_HEAPS_MAX && (many[count] = HeapCreate(0, 0, 0)) != NULL)
        count++;
    check(count == PROCESS_HEAPS_MAX - 1 && GetLastError() == ERROR_NOT_ENOUGH_MEMORY,
          "a process has 16 heaps at most, its own among them");
    while (count > 0)
        HeapDestroy(many[--count]);
    check(REFUSED(HeapCreate(4, 0, 0), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapCreate(0, 2, 1), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapCreate(0, SIZE_MAX, 0), NULL, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapCreate(0, 512u << 20, 0), NULL, ERROR_NOT_ENOUGH_MEMORY)
              && REFUSED(HeapDestroy(GetProcessHeap()), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapDestroy(NULL), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapDestroy((HANDLE)24), FALSE, ERROR_INVALID_PARAMETER)
              && REFUSED(HeapDestroy(INVALID_HANDLE_VALUE), FALSE, ERROR_INVALID_PARAMETER),
          "what makes no sense, is no heap, or is the process's own, is refused");
}

static void resize(void)
{
    HANDLE heap = HeapCreate(0, 0, 0);
    char *block = HeapAlloc(heap, 0, 10);
    for (char i = 0; i < 10; i++)
        block[(int)i] = i;
    char *larger = HeapReAlloc(heap, HEAP_ZERO_MEMORY, block, HEAP_LARGE);
    bool kept = larger != NULL && larger[HEAP_LARGE - 1] == 0;
    for (char i = 0; i < 10 && kept; i++)
        kept &= larger[(int)i] == i;
    check(kept, "a block of another size has what the first one had");
    larger = HeapReAlloc(heap, 0, larger, 5);
    check(larger != NULL && larger[4] == 4 && HeapSize(heap, 0, larger) < 100
              && REFUSED(HeapReAlloc(heap, 0, larger, 512u << 20), NULL, ERROR_NOT_ENOUGH_MEMORY) && larger[4] == 4,
          "a smaller one too, and one for which there is no memory stays");
    check(HeapValidate(heap, 0, NULL), "a heap is looked through");
    ((uint64_t *)larger)[-1] = 1; // overwrites the header of the next block
    check(!HeapValidate(heap, 0, NULL), "and what has been written over is found");
    HeapDestroy(heap);
}

DWORD program_main(LPCTSTR command)
{
    (void)command;
    apart();
    end_with_blocks();
    bounds();
    resize();
    return checks_failed();
}
