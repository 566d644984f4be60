// SPDX-License-Identifier: MIT OR Apache-2.0
// Stacks of threads in user mode. There is one for each thread of a process, and for each visitor from another process.
// A page is allocated when it is first touched. CreateThread determines the size; the addresses below the stack, down
// to the next stack, are unmapped.
#include "process/stacks.h"

uint64_t process_stack_top(const struct process_thread *thread)
{
    return USER_STACK_TOP((uint64_t)(thread - thread->process->threads));
}

static uint64_t stack_bytes(const struct process *process, uint64_t index)
{
    return index < PROCESS_THREADS_MAX ? process->threads[index].stack_bytes : USER_STACK_BYTES;
}

bool process_stack_holds(const struct process *process, uint64_t address, bool *guard)
{
    uint64_t index = (address - USER_STACKS) / USER_STACK_PLACE;
    bool visited = index >= PROCESS_THREADS_MAX && index < PROCESS_THREADS_MAX + PROCESS_VISITS_MAX
                   && process->server_name[0] != '\0';
    if (!visited && (index >= PROCESS_THREADS_MAX || process->threads[index].thread == NULL))
        return false;
    uint64_t bottom = USER_STACK_TOP(index) - stack_bytes(process, index);
    *guard = address < bottom;
    return address >= bottom - PAGE_BYTES;
}

uint64_t process_stack_bytes(uint64_t wanted, uint64_t flags)
{
    if (!(flags & STACK_SIZE_PARAM_IS_A_RESERVATION) || wanted == 0)
        return USER_STACK_BYTES;
    return wanted > USER_STACK_MOST_BYTES ? 0 : (wanted + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}
