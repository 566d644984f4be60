// SPDX-License-Identifier: MIT OR Apache-2.0
// Threads' stacks, each above an unmapped page. A thread that overruns its stack faults at once; the fault has a stack of its
// own, and the panic names the thread.
#include "core/create.h"
#include "core/ready.h"
#include "machine.h"
#include "stacks_inline.h"

_Static_assert(offsetof(struct thread, stack_pointer) == THREAD_STACK_POINTER, "what switch_to in entry.S knows of it");
_Static_assert(STACK_BYTES % PAGE_BYTES == 0, "a stack is whole pages, as its guard is");

static uint8_t *guards[THREADS_MAX + 1]; // each stack is above its guard page; NULL: no stack yet

bool stack_is_guard(uint64_t address)
{
    for (unsigned i = 0; i <= THREADS_MAX; i++)
        if (guards[i] != NULL && address - (uint64_t)guards[i] < PAGE_BYTES)
            return true;
    return false;
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

_Static_assert(sizeof(struct fpu_area) == FPU_BYTES, "the place at the top of a stack");

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
    return stack_first(fpu);
}
