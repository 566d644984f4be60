// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: functions that only loads need. Memory lies after the kernel's image. There is no disk, no network, and no
// screen with 32 bits per pixel (without.c).
#include "port.h"

#include "board.h"
#include "detent.h"

#include <string.h>

#define SPARES_MAX 16

// Memory that loads have returned. The kernel cannot take memory back, and one load may follow another.
static struct detent_spare {
    void *memory; // NULL: no spare memory
    size_t bytes;
} detent_spares[SPARES_MAX];
static CRITICAL_SECTION detent_spares_lock;

static void *detent_spare_take(size_t bytes)
{
    void *memory = NULL;

    EnterCriticalSection(&detent_spares_lock);
    for (unsigned i = 0; memory == NULL && i < SPARES_MAX; i++)
        if (detent_spares[i].memory != NULL && detent_spares[i].bytes == bytes) {
            memory = detent_spares[i].memory;
            detent_spares[i].memory = NULL;
        }
    LeaveCriticalSection(&detent_spares_lock);
    return memory;
}

void *port_memory_map(size_t bytes)
{
    void *spare = detent_spare_take(bytes);

    return spare != NULL ? memset(spare, 0, bytes) : memory_take(bytes);
}

// If every place is taken, the memory is lost.
void port_memory_unmap(void *memory, size_t bytes)
{
    EnterCriticalSection(&detent_spares_lock);
    for (unsigned i = 0; i < SPARES_MAX; i++)
        if (detent_spares[i].memory == NULL) {
            detent_spares[i] = (struct detent_spare){memory, bytes};
            break;
        }
    LeaveCriticalSection(&detent_spares_lock);
}

static void detent_call_identity(void)
{
    CeGetThreadPriority(GetCurrentThread());
}

static void detent_call_event(void)
{
    static HANDLE event;

    if (!event)
        event = CreateEvent(NULL, TRUE, FALSE, NULL);
    SetEvent(event);
    ResetEvent(event);
}

static void detent_call_open(void)
{
    CloseHandle(CreateSemaphore(NULL, 0, 1, NULL));
}

static void detent_call_poll(void)
{
    WaitForSingleObject(GetCurrentThread(), 0);
}

void port_system_call(uint64_t turn)
{
    static void (*const CALLS[])(void) = {detent_call_identity, detent_call_event, detent_call_open, detent_call_poll};

    CALLS[turn % (sizeof CALLS / sizeof CALLS[0])]();
}
