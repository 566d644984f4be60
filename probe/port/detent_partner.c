// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent, in the kernel's own image: the second thread of an operation, and objects whose shared word holds the handle.
// There is no second process.
#include "detent_objects.h"
#include "detent_threads.h"
#include "operations.h"
#include "port.h"

#include <string.h>

#define WORDS_MAX 8 // most words in which one operation stores handles

static const char NO_PROCESS[] = "this image has no second process";

static HANDLE detent_partner; // the partner of the current operation
static struct {
    char *start, *end; // bounds of the memory that both threads use
    _Atomic uint32_t *words[WORDS_MAX];
    unsigned count;
} detent_shared;

static HANDLE object_create(enum detent_kind kind)
{
    if (kind == DETENT_EVENT)
        return CreateEvent(NULL, FALSE, FALSE, NULL);
    return kind == DETENT_MUTEX ? CreateMutex(NULL, FALSE, NULL) : CreateSemaphore(NULL, 0, 1, NULL);
}

// Words in shared memory belong to the operation.
static void word_note(_Atomic uint32_t *word)
{
    if ((char *)word >= detent_shared.start && (char *)word < detent_shared.end && detent_shared.count < WORDS_MAX)
        detent_shared.words[detent_shared.count++] = word;
}

HANDLE detent_object_open(_Atomic uint32_t *word, enum detent_kind kind)
{
    uint32_t handle = 0;
    HANDLE made = object_create(kind);

    if (!made)
        return NULL;
    if (atomic_compare_exchange_strong(word, &handle, (uint32_t)(uintptr_t)made)) {
        word_note(word);
        return made;
    }
    CloseHandle(made); // another thread created the object first
    return (HANDLE)(uintptr_t)handle;
}

const char *port_partner_start(void (*run)(void *argument), void *argument, bool across)
{
    const char *refusal = NO_PROCESS;

    if (!across)
        detent_partner = detent_thread_make(run, argument, &refusal);
    return refusal;
}

bool port_partner_alive(void)
{
    return true;
}

// The partner waits for its next round, and nobody else uses the objects of this operation.
void port_partner_end(void)
{
    if (detent_partner) {
        TerminateThread(detent_partner, 0);
        CloseHandle(detent_partner);
    }
    detent_partner = NULL;
    detent_sections_end();
    for (; detent_shared.count > 0; detent_shared.count--)
        CloseHandle((HANDLE)(uintptr_t)atomic_exchange(detent_shared.words[detent_shared.count - 1], 0));
}

void *port_memory_shared(size_t bytes)
{
    detent_shared.start = port_memory_map(bytes);
    detent_shared.end = detent_shared.start ? detent_shared.start + bytes : NULL;
    return detent_shared.start;
}

bool port_partner_read(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

const char *port_spawn(void (*run)(void *argument), void *argument, bool across)
{
    return across ? NO_PROCESS : port_thread_start(run, argument);
}

void port_spawn_end(void)
{
}

// Here everything is part of the kernel, so there are no servers.
bool port_server_start(port_serve serve, const char **refusal)
{
    (void)serve;
    *refusal = NULL;
    return false;
}

uint64_t port_server_call(uint64_t method, const uint64_t *words)
{
    (void)method;
    (void)words;
    return 0;
}
