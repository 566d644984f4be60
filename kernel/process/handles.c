// SPDX-License-Identifier: MIT OR Apache-2.0
// See handles.h. A place that is used again gets the next generation, so that old handles stay invalid.
#include "process/handles.h"

#include "process/registry.h"

#include "process/mapping.h"
#include "core/call.h"
#include "core/error.h"
#include "core/mutex.h"
#include "core/objects.h"

#define GENERATION 0x1000u

void handles_init(struct process *process)
{
    uint32_t current = HANDLE_PLACE((uint32_t)(uintptr_t)HANDLE_CURRENT_THREAD);
    process->first_free = 0;
    for (uint32_t i = PROCESS_HANDLES_MAX - 1; i > 0; i--) {
        process->places[i] = (struct place){0};
        process->generations[i] = GENERATION;
        if (i == current)
            continue;
        process->next_free[i] = process->first_free;
        process->first_free = (uint16_t)i;
    }
    process->places[current] =
        (struct place){(uint32_t)(uintptr_t)HANDLE_CURRENT_THREAD, (uint32_t)(uintptr_t)HANDLE_CURRENT_THREAD};
}

// Takes a free place. Returns 0 and an error if there is none.
static uint32_t place_take(struct process *process, uint32_t kind)
{
    uint32_t place = process->first_free;
    if (place == 0) {
        thread_error(ERROR_NOT_ENOUGH_MEMORY);
        return 0;
    }
    process->first_free = process->next_free[place];
    return process->places[place].handle = process->generations[place] + place * 4 + kind;
}

static void place_give(struct process *process, uint32_t place)
{
    uint32_t next = process->generations[place] + GENERATION;
    process->generations[place] = next != 0 ? next : GENERATION;
    process->places[place] = (struct place){0};
    process->processes[place] = NULL;
    process->mappings[place] = NULL;
    process->next_free[place] = process->first_free;
    process->first_free = (uint16_t)place;
}

uint64_t handle_give(struct process *process, HANDLE object)
{
    if (object == NULL)
        return 0;
    uint32_t handle = place_take(process, 0);
    if (handle == 0)
        CloseHandle(object);
    else
        process->places[HANDLE_PLACE(handle)].object = (uint32_t)(uintptr_t)object;
    return handle;
}

uint64_t handle_give_process(struct process *process, struct process *other)
{
    uint32_t handle = place_take(process, HANDLE_OF_PROCESS);
    if (handle == 0)
        process_close(other);
    else
        process->processes[HANDLE_PLACE(handle)] = other;
    return handle;
}

uint64_t handle_give_mapping(struct process *process, struct mapping *mapping)
{
    uint32_t handle = place_take(process, HANDLE_OF_MAPPING);
    if (handle == 0)
        mapping_close(mapping);
    else
        process->mappings[HANDLE_PLACE(handle)] = mapping;
    return handle;
}

HANDLE handle_rare(uint64_t handle)
{
    const struct process *process = handle_process(handle);
    return process != NULL ? process->ended : NULL;
}

// Takes the mutex from its owner if no other process has the mutex open, because nobody else would ever free it. A
// living owner can be the thread that ends the process, or a visitor.
void object_end(HANDLE object)
{
    kernel_enter();
    struct mutex *mutex = mutex_find(object);
    if (mutex != NULL && mutex->lock.owner != NULL && mutex->object.opens == 1
        && waiters_none(&mutex->object.waiters)) {
        mutex->lock.owner->mutexes_owned--;
        mutex->lock.owner = NULL;
    }
    kernel_leave();
    CloseHandle(object);
}

// Closes the handle in this place. False and an error if the kernel refuses. A free place stays as it is.
static BOOL place_close(struct process *process, uint32_t place)
{
    if (process->processes[place] != NULL)
        process_close(process->processes[place]);
    else if (process->mappings[place] != NULL)
        mapping_close(process->mappings[place]);
    else if (process->places[place].object != 0)
        return CloseHandle((HANDLE)(uintptr_t)process->places[place].object);
    return TRUE;
}

BOOL handle_close(uint64_t handle)
{
    uint32_t place = (uint32_t)HANDLE_PLACE(handle);
    if (handle == (uintptr_t)HANDLE_CURRENT_THREAD || handle == HANDLE_CURRENT_PROCESS)
        return TRUE;
    if (handle == 0 || process_current->places[place].handle != handle)
        return thread_error(ERROR_INVALID_HANDLE);
    if (!place_close(process_current, place))
        return FALSE;
    place_give(process_current, place);
    return TRUE;
}

void handles_close_all(struct process *process)
{
    for (uint32_t i = 1; i < PROCESS_HANDLES_MAX; i++) {
        if (process->places[i].object != 0)
            object_end((HANDLE)(uintptr_t)process->places[i].object);
        else
            place_close(process, i);
        process->places[i] = (struct place){0};
        process->processes[i] = NULL;
        process->mappings[i] = NULL;
    }
}

HANDLE handle_open_again(HANDLE object)
{
    kernel_enter();
    object_find(object)->opens++;
    kernel_leave();
    return object;
}
