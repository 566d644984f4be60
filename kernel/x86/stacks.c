// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads' stacks, each with a page below it that is not there: a thread that overruns its stack faults at once, on the
// double fault's own stack, and the panic names it. AMD64 Architecture Programmer's Manual volume 2, 5.3.
#include "core/create.h"
#include "core/ready.h"
#include "machine.h"

#define PAGE_LARGE_BYTES 0x200000
#define PAGE_TABLE_ENTRIES 512
#define PAGE_USED 0x03 // present, writable
#define PAGE_LARGE 0x80

_Static_assert(offsetof(struct thread, stack_pointer) == THREAD_STACK_POINTER, "what switch_to in entry.S knows of it");
_Static_assert(STACK_BYTES % PAGE_BYTES == 0, "a stack is whole pages, as its guard is");

static uint8_t *guards[THREADS_MAX + 1]; // a stack lies above its guard; NULL: there is none yet
extern uint64_t page_directories[];      // boot.S: an entry for each large page

bool stack_is_guard(uint64_t address)
{
    for (unsigned i = 0; i <= THREADS_MAX; i++)
        if (guards[i] != NULL && address - (uint64_t)guards[i] < PAGE_BYTES)
            return true;
    return false;
}

// The table of the large page in which the address lies, which is divided into small ones the first time.
static uint64_t *page_table(uint64_t address)
{
    uint64_t *directory = &page_directories[address / PAGE_LARGE_BYTES];
    if (!(*directory & PAGE_LARGE))
        return (uint64_t *)(*directory & ~(uint64_t)(PAGE_BYTES - 1));
    uint64_t *table = memory_take(PAGE_BYTES);
    if (table == NULL)
        return NULL;
    for (uint64_t i = 0; i < PAGE_TABLE_ENTRIES; i++)
        table[i] = (address / PAGE_LARGE_BYTES * PAGE_TABLE_ENTRIES + i) * PAGE_BYTES | PAGE_USED;
    *directory = (uint64_t)table | PAGE_USED;
    return table;
}

static void page_remove(uint64_t *table, uint64_t address)
{
    table[address / PAGE_BYTES % PAGE_TABLE_ENTRIES] = 0;
    pages_forget();
}

bool stack_make(unsigned index)
{
    if (guards[index] != NULL)
        return true;
    uint8_t *guard = memory_take(PAGE_BYTES + STACK_BYTES);
    uint64_t *table = guard != NULL ? page_table((uint64_t)guard) : NULL;
    if (table == NULL)
        return false;
    page_remove(table, (uint64_t)guard);
    guards[index] = guard;
    return true;
}

_Static_assert(sizeof(struct fpu_area) == FPU_BYTES, "what FXSAVE64 writes");

struct fpu_area *stack_fpu_area(unsigned index)
{
    return (struct fpu_area *)(guards[index] + PAGE_BYTES + STACK_BYTES - FPU_BYTES);
}

void *stack_prepare(unsigned index)
{
    struct fpu_area *fpu = stack_fpu_area(index);
    fpu->used = false;
    if (fpu_owner == fpu)
        fpu_owner = NULL;
    void **stack = (void **)fpu - 8; // six registers, whatever they hold, where to begin, a return address
    stack[6] = (void *)thread_begin;
    return stack;
}
