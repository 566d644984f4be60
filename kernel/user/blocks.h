// SPDX-License-Identifier: MIT OR Apache-2.0
// The blocks of one heap. Each call takes constant time, except for pages that it may request from the kernel. Free blocks are in
// lists by size, four for each power of two, with a bit for each list that is not empty; free neighbours are merged. A block
// comes from a list whose blocks are all large enough. (Masmano, Ripoll, Crespo and Real, "TLSF", 2004, describe such a heap.)
#ifndef DETENT_USER_BLOCKS_H
#define DETENT_USER_BLOCKS_H

#include "user/program.h"

#define HEADER_BYTES 16u
#define BLOCK_LISTS 64

struct block {
    uint64_t size;                // includes the header; its low bits: free, large, and its heap's number
    struct block *below;          // the neighbour below; NULL: none
    struct block *next, *earlier; // links in the free list
};

// Pages that the kernel gave to a heap: for many blocks, or for one large one.
struct region {
    struct region *next, *earlier;
    size_t bytes, unused;
};

struct heap {
    struct block *lists[BLOCK_LISTS];
    uint64_t lists_used;
    CRITICAL_SECTION lock;
    struct region *regions;
    size_t bytes, most; // size of its regions, and the limit; most 0: no limit
    uint64_t number;    // the number that the heap's blocks store
};

// Call with the heap's lock held.
struct block *block_take(struct heap *heap, size_t bytes); // bytes includes the header: n * 16; NULL: no memory
struct block *block_take_large(struct heap *heap, size_t bytes);
void block_give(struct heap *heap, struct block *block);
size_t block_bytes(const struct block *block); // header included
// The block of that heap that contains the memory and is in use; NULL if there is none.
struct block *block_of(const struct heap *heap, LPCVOID memory);
bool blocks_whole(const struct heap *heap); // checks that each block's neighbours agree with the block
void region_forget(struct heap *heap, struct region *region);
// Makes one free block of a region's room, from this offset in bytes on.
void region_use(struct heap *heap, struct region *region, size_t behind);
struct region *region_get(struct heap *heap, size_t bytes); // on failure NULL and an error

#endif
