// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads' stacks, each with a page below it that is not there: a thread that overruns its stack faults at once, on the
// double fault's own stack, and the panic names it. AMD64 Architecture Programmer's Manual volume 2, 5.3.
#include "core/ready.h"
#include "machine.h"

#define PAGE_BYTES 4096
#define PAGE_LARGE_BYTES 0x200000
#define PAGE_TABLE_ENTRIES 512
#define PAGE_USED 0x03 // present, writable
#define TABLES (sizeof stacks / PAGE_LARGE_BYTES + 2)

_Static_assert(offsetof(struct thread, stack_pointer) == THREAD_STACK_POINTER, "what switch_to in entry.S knows of it");

static _Alignas(PAGE_BYTES) struct {
    uint8_t guard[PAGE_BYTES], stack[STACK_BYTES - FPU_BYTES];
    _Alignas(16) struct fpu_area fpu;
} stacks[THREADS_MAX + 1];
static _Alignas(PAGE_BYTES) uint64_t tables[TABLES][PAGE_TABLE_ENTRIES];
extern uint64_t page_directories[]; // boot.S: an entry for each large page

bool stack_is_guard(uint64_t address)
{
    uint64_t offset = address - (uint64_t)stacks;
    return offset < sizeof stacks && offset % sizeof stacks[0] < PAGE_BYTES;
}

static void table_fill(uint64_t *table, uint64_t from)
{
    for (unsigned i = 0; i < PAGE_TABLE_ENTRIES; i++) {
        uint64_t page = from + i * PAGE_BYTES;
        table[i] = stack_is_guard(page) ? 0 : page | PAGE_USED;
    }
}

// The large pages in which the stacks lie are divided into small ones.
void stacks_init(void)
{
    uint64_t first = (uint64_t)stacks / PAGE_LARGE_BYTES,
             last = ((uint64_t)stacks + sizeof stacks - 1) / PAGE_LARGE_BYTES;
    for (uint64_t large = first; large <= last; large++) {
        table_fill(tables[large - first], large * PAGE_LARGE_BYTES);
        page_directories[large] = (uint64_t)tables[large - first] | PAGE_USED;
    }
    uint64_t root;
    __asm__ volatile("movq %%cr3, %0\n\tmovq %0, %%cr3" : "=r"(root) : : "memory"); // forget what was known of them
}

_Static_assert(sizeof(struct fpu_area) == FPU_BYTES, "what FXSAVE64 writes");

struct fpu_area *stack_fpu_area(unsigned index)
{
    return &stacks[index].fpu;
}

void *stack_prepare(unsigned index)
{
    struct fpu_area *fpu = &stacks[index].fpu;
    fpu->used = false;
    if (fpu_owner == fpu)
        fpu_owner = NULL;
    void **stack = (void **)fpu - 8; // six registers, where to begin, a return address
    for (unsigned i = 0; i < 8; i++)
        stack[i] = NULL;
    stack[6] = (void *)thread_begin;
    return stack;
}
