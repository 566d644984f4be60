// SPDX-License-Identifier: MIT OR Apache-2.0
// See blocks.h.
#include "user/blocks.h"

#define BLOCK_LEAST 32u
#define FREE 1u  // bit in size
#define LARGE 2u // bit in size: the block has a region of its own
#define NUMBER_SHIFT 56
#define REGION_BYTES 0x10000u
#define BITS_LEAST 5 // number of bits of BLOCK_LEAST

_Static_assert(sizeof(struct region) == 32, "blocks behind it stand at multiples of 16");

size_t block_bytes(const struct block *block)
{
    return block->size & ((1ull << NUMBER_SHIFT) - 16);
}

static void block_resize(struct block *block, size_t bytes)
{
    block->size = (block->size & ~((1ull << NUMBER_SHIFT) - 16)) | bytes;
}

static struct block *block_above(const struct block *block)
{
    return (struct block *)((uintptr_t)block + block_bytes(block));
}

// The list for blocks of that size. All blocks in a list are at least as large as the list's size, and smaller than the
// next list's size.
static unsigned list_of(size_t bytes)
{
    unsigned bits = 63u - (unsigned)__builtin_clzll(bytes);
    return (bits - BITS_LEAST) * 4 + (unsigned)(bytes >> (bits - 2) & 3);
}

static void list_add(struct heap *heap, struct block *block)
{
    unsigned list = list_of(block_bytes(block));
    block->size |= FREE;
    block->next = heap->lists[list];
    block->earlier = NULL;
    if (block->next != NULL)
        block->next->earlier = block;
    heap->lists[list] = block;
    heap->lists_used |= 1ull << list;
}

static void list_remove(struct heap *heap, struct block *block)
{
    unsigned list = list_of(block_bytes(block));
    block->size &= ~(uint64_t)FREE;
    if (block->next != NULL)
        block->next->earlier = block->earlier;
    if (block->earlier != NULL)
        block->earlier->next = block->next;
    else
        heap->lists[list] = block->next;
    if (heap->lists[list] == NULL)
        heap->lists_used &= ~(1ull << list);
}

struct region *region_get(struct heap *heap, size_t bytes)
{
    bytes = (bytes + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
    if (heap->most != 0 && (bytes > heap->most || heap->bytes > heap->most - bytes)) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    struct region *region = VirtualAlloc(NULL, bytes, MEM_COMMIT, PAGE_READWRITE);
    if (region == NULL)
        return NULL;
    *region = (struct region){.next = heap->regions, .bytes = bytes};
    if (region->next != NULL)
        region->next->earlier = region;
    heap->regions = region;
    heap->bytes += bytes;
    return region;
}

void region_forget(struct heap *heap, struct region *region)
{
    if (region->next != NULL)
        region->next->earlier = region->earlier;
    if (region->earlier != NULL)
        region->earlier->next = region->next;
    else
        heap->regions = region->next;
    heap->bytes -= region->bytes;
    VirtualFree(region, 0, MEM_RELEASE);
}

// The room lies between two headers that are never free: a virtual one below, and one of zero bytes above.
void region_use(struct heap *heap, struct region *region, size_t behind)
{
    struct block *block = (struct block *)((char *)region + behind);
    region->unused = behind;
    block->size = heap->number << NUMBER_SHIFT;
    block_resize(block, region->bytes - behind - HEADER_BYTES);
    block_above(block)->below = block;
    list_add(heap, block);
}

static bool grow(struct heap *heap, size_t bytes)
{
    struct region *region = region_get(heap, bytes + sizeof(struct region) + 2 * HEADER_BYTES);
    if (region != NULL)
        region_use(heap, region, sizeof(struct region));
    return region != NULL;
}

// The rest of the block becomes a free block, if it is large enough.
static void divide(struct heap *heap, struct block *block, size_t bytes)
{
    size_t left = block_bytes(block) - bytes;
    if (left < BLOCK_LEAST)
        return;
    block_resize(block, bytes);
    struct block *rest = block_above(block);
    rest->size = heap->number << NUMBER_SHIFT;
    block_resize(rest, left);
    rest->below = block;
    block_above(rest)->below = rest;
    list_add(heap, rest);
}

// Takes a block from the first list in which every block is large enough.
static struct block *take(struct heap *heap, size_t bytes)
{
    size_t step = bytes >> 2 ? (size_t)1 << (61u - (unsigned)__builtin_clzll(bytes)) : 1;
    uint64_t large_enough = heap->lists_used & ~0ull << list_of(bytes + step - 1);
    if (large_enough == 0)
        return NULL;
    struct block *block = heap->lists[__builtin_ctzll(large_enough)];
    list_remove(heap, block);
    divide(heap, block, bytes);
    return block;
}

struct block *block_take(struct heap *heap, size_t bytes)
{
    bytes = bytes < BLOCK_LEAST ? BLOCK_LEAST : bytes;
    struct block *block = take(heap, bytes);
    if (block == NULL && grow(heap, bytes + bytes / 4 + BLOCK_LEAST))
        block = take(heap, bytes);
    return block;
}

struct block *block_take_large(struct heap *heap, size_t bytes)
{
    struct region *region = region_get(heap, bytes + sizeof(struct region));
    struct block *block = (struct block *)(region + 1);
    if (region == NULL)
        return NULL;
    block->size = heap->number << NUMBER_SHIFT | LARGE;
    block_resize(block, bytes);
    return block;
}

void block_give(struct heap *heap, struct block *block)
{
    if (block->size & LARGE) {
        region_forget(heap, (struct region *)block - 1);
        return;
    }
    struct block *above = block_above(block), *below = block->below;
    if (above->size & FREE) {
        list_remove(heap, above);
        block_resize(block, block_bytes(block) + block_bytes(above));
    }
    if (below != NULL && below->size & FREE) {
        list_remove(heap, below);
        block_resize(below, block_bytes(below) + block_bytes(block));
        block = below;
    }
    block_above(block)->below = block;
    list_add(heap, block);
}

struct block *block_of(const struct heap *heap, LPCVOID memory)
{
    struct block *block = (struct block *)((uintptr_t)memory - HEADER_BYTES);
    bool is_one = memory != NULL && (uintptr_t)memory % 16 == 0 && !(block->size & FREE) && block_bytes(block) != 0
                  && block->size >> NUMBER_SHIFT == heap->number;
    return is_one ? block : NULL;
}

static bool region_whole(const struct heap *heap, const struct region *region)
{
    const struct block *below = NULL, *block = (const struct block *)((uintptr_t)region + region->unused);
    uintptr_t end = (uintptr_t)region + region->bytes - HEADER_BYTES;
    for (; (uintptr_t)block < end; below = block, block = block_above(block))
        if (block->below != below || block_bytes(block) == 0 || block->size >> NUMBER_SHIFT != heap->number)
            return false;
    return (uintptr_t)block == end && block->below == below;
}

bool blocks_whole(const struct heap *heap)
{
    for (const struct region *region = heap->regions; region != NULL; region = region->next)
        if (region->unused != 0 && !region_whole(heap, region)) // otherwise it is the region of a large block
            return false;
    return true;
}
