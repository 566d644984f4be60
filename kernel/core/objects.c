// SPDX-License-Identifier: MIT OR Apache-2.0
// Handles: fixed tables, free lists, names and reference counts. Nothing is allocated after start.
#include "core/objects.h"

#include "core/call.h"
#include "core/error.h"
#include "core/event.h"
#include "core/mutex.h"
#include "core/names.h"
#include "core/semaphore.h"
#include "core/waits.h"

#define NAME_ROOM (NAME_CHARS_MAX + 1) // the name, after a letter that marks a named entry

struct table {
    char *first;
    size_t stride, head; // bytes from entry to entry, and from entry to its struct object
    uint32_t entries;
    uint16_t free; // 1 + index of the first free entry
    char (*names)[NAME_ROOM];
};

struct event events[EVENTS_MAX];
struct semaphore semaphores[SEMAPHORES_MAX];
struct mutex mutexes[MUTEXES_MAX];
struct thread threads[THREADS_MAX];
static struct queue queues[EVENTS_MAX + SEMAPHORES_MAX + MUTEXES_MAX]; // threads have theirs in thread_memory
static char names[EVENTS_MAX + SEMAPHORES_MAX + MUTEXES_MAX][NAME_ROOM];
static CRITICAL_SECTION creation;

static struct table tables[KINDS] = {
    [KIND_THREAD] = {(char *)threads, sizeof *threads, offsetof(struct thread, object), THREADS_MAX, 0, NULL},
    [KIND_EVENT] = {(char *)events, sizeof *events, 0, EVENTS_MAX, 0, names},
    [KIND_SEMAPHORE] = {(char *)semaphores, sizeof *semaphores, 0, SEMAPHORES_MAX, 0, names + EVENTS_MAX},
    [KIND_MUTEX] = {(char *)mutexes, sizeof *mutexes, 0, MUTEXES_MAX, 0, names + EVENTS_MAX + SEMAPHORES_MAX},
};

static struct object *table_entry(const struct table *table, uint32_t index)
{
    return (struct object *)(table->first + index * table->stride + table->head);
}

static uint32_t object_index(const struct object *object, const struct table *table)
{
    return (uint32_t)((size_t)((const char *)object - table->head - table->first) / table->stride);
}

static void object_add(struct table *table, uint32_t index, struct queue *queue)
{
    struct object *object = table_entry(table, index);
    waiters_init(&object->waiters, queue);
    object->next_free = table->free;
    table->free = (uint16_t)(index + 1);
}

static void table_init(uint32_t kind)
{
    struct table *table = &tables[kind];
    for (uint32_t i = 0; i < table->entries; i++) {
        struct object *object = table_entry(table, i);
        object->handle = HANDLE_FREE(i);
        object->opens = 0;
        object->alive = false;
        object->next_handle = HANDLE_GENERATION + i * 64 + kind;
        if (table->names != NULL)
            table->names[i][0] = '\0';
    }
    table->free = 0;
}

void object_init(void)
{
    unsigned taken = 0;
    for (uint32_t kind = KIND_THREAD; kind <= KIND_MUTEX; kind++) {
        table_init(kind);
        for (uint32_t i = kind == KIND_THREAD ? 0 : tables[kind].entries; i > 0; i--) {
            queue_reset(&queues[taken]);
            object_add(&tables[kind], i - 1, &queues[taken++]);
        }
    }
    InitializeCriticalSection(&creation);
}

void object_add_thread(uint32_t index, struct queue *queue)
{
    object_add(&tables[KIND_THREAD], index, queue);
}

void object_lock(void)
{
    EnterCriticalSection(&creation);
}
void object_unlock(void)
{
    LeaveCriticalSection(&creation);
}

bool object_unlock_unwanted(void)
{
    return interlocked_claim(&creation.owner, kernel.current->object.handle, 0);
}

struct object *object_take_closed(enum object_kind kind)
{
    struct table *table = &tables[kind];
    if (table->free == 0)
        return NULL;
    struct object *object = table_entry(table, table->free - 1u);
    table->free = object->next_free;
    object->opens = 1;
    return object;
}

struct object *object_take(enum object_kind kind)
{
    kernel_enter();
    struct object *object = object_take_closed(kind);
    kernel_leave();
    if (object == NULL)
        thread_error(ERROR_NOT_ENOUGH_MEMORY);
    return object;
}

HANDLE object_publish(struct object *object)
{
    object->handle = object->next_handle;
    return (HANDLE)object->handle;
}

// The next handle of the entry has another generation, so that old handles stay invalid.
void object_free_if_unused(struct object *object)
{
    if (object->opens != 0 || object->alive)
        return;
    struct table *table = &tables[HANDLE_KIND(object->handle)];
    uint32_t index = object_index(object, table), next = object->next_handle + HANDLE_GENERATION;
    object->next_handle = next > HANDLE_GENERATION_LIMIT ? (next & 0xFFFFu) + HANDLE_GENERATION : next;
    object->handle = HANDLE_FREE(index);
    if (table->names != NULL)
        table->names[index][0] = '\0';
    object->next_free = table->free;
    table->free = (uint16_t)(index + 1);
}

struct object *object_find(HANDLE handle)
{
    uint32_t kind = HANDLE_KIND(handle);
    if (handle == HANDLE_CURRENT_THREAD)
        return &kernel.current->object;
    if (kind < KIND_THREAD || kind > KIND_MUTEX)
        return NULL;
    const struct table *table = &tables[kind];
    struct object *object = table_entry(table, HANDLE_INDEX(handle, table->entries));
    return object->handle == (uintptr_t)handle ? object : NULL;
}

static size_t name_length(const char *name)
{
    size_t length = 0;
    while (length < NAME_CHARS_MAX && name[length] != '\0')
        length++;
    return length;
}

// A stored name begins with 'n', so that the empty name is a name too.
struct object *object_open_named(enum object_kind kind, const char *name, DWORD *refused)
{
    const struct table *table = &tables[kind];
    *refused = ERROR_SUCCESS;
    if (name == NULL)
        return NULL;
    if (name_length(name) == NAME_CHARS_MAX)
        *refused = ERROR_FILENAME_EXCED_RANGE;
    for (size_t i = 0; i < name_length(name); i++) // at most NAME_CHARS_MAX rounds
        if (name[i] == '\\')
            *refused = ERROR_INVALID_PARAMETER;
    for (uint32_t i = 0; i < table->entries && *refused == ERROR_SUCCESS; i++) {
        struct object *object = table_entry(table, i);
        if (object_is_free(object) || table->names[i][0] != 'n' || !names_equal(table->names[i] + 1, name))
            continue;
        if (object->opens == OBJECT_OPENS_MAX) {
            *refused = ERROR_NOT_ENOUGH_MEMORY;
            return NULL;
        }
        object->opens++;
        thread_error(ERROR_ALREADY_EXISTS);
        return object;
    }
    return NULL;
}

void object_set_name(struct object *object, const char *name)
{
    thread_error(ERROR_SUCCESS);
    if (name == NULL)
        return;
    const struct table *table = &tables[HANDLE_KIND(object->next_handle)];
    char *stored = table->names[object_index(object, table)];
    for (size_t i = 0; i <= name_length(name); i++) // at most NAME_CHARS_MAX rounds
        stored[i + 1] = name[i];
    stored[0] = 'n';
}

// Refuses to close an object for which threads wait, an owned mutex, or the event of an interrupt.
static DWORD close_refusal(const struct object *object)
{
    if (object->opens == 0)
        return ERROR_INVALID_HANDLE; // a living thread without open handles
    if (object->opens > 1 || object->alive)
        return ERROR_SUCCESS;
    bool used = !waiters_none(&object->waiters);
    if (HANDLE_KIND(object->handle) == KIND_MUTEX)
        used |= ((const struct mutex *)object)->lock.owner != NULL;
    if (HANDLE_KIND(object->handle) == KIND_EVENT)
        used |= ((const struct event *)object)->irq != NULL;
    return used ? ERROR_BUSY : ERROR_SUCCESS;
}

BOOL CloseHandle(HANDLE handle)
{
    if (HANDLE_KIND(handle) == KIND_FILE || handle == HANDLE_CURRENT_THREAD)
        return TRUE;
    object_lock();
    kernel_enter();
    struct object *object = object_find(handle);
    DWORD refused = object == NULL ? ERROR_INVALID_HANDLE : close_refusal(object);
    if (refused == ERROR_SUCCESS) {
        object->opens--;
        object_free_if_unused(object);
    }
    kernel_leave();
    object_unlock();
    return refused == ERROR_SUCCESS || thread_error(refused);
}
