// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent: what only loads need. Memory lies behind the image; there is no disk, network or screen of 32 bits (without.c).
#include "port.h"

#include "detent.h"

#include <string.h>

#define MULTIBOOT_MEMORY 1u // bit in the flags word: the sizes are given. Multiboot specification 0.6.96, 3.3
#define MEMORY_HIGH_START (1u << 20)
#define MEMORY_ALIGN 4096u

extern char bss_end[];            // kernel/x86/detent.ld
extern uint32_t boot_information; // kernel/x86/boot.S

struct detent_boot {
    uint32_t flags;
    uint32_t memory_low_kib;
    uint32_t memory_high_kib; // from 1 MiB on without a hole
};

static LONG detent_blocks_used; // of MEMORY_ALIGN bytes behind the image

static uintptr_t detent_memory_first(void)
{
    return ((uintptr_t)bss_end + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
}

static uintptr_t detent_memory_end(void)
{
    const struct detent_boot *boot = (const void *)(uintptr_t)boot_information;

    return boot->flags & MULTIBOOT_MEMORY ? MEMORY_HIGH_START + (uintptr_t)boot->memory_high_kib * 1024 : 0;
}

static LONG detent_blocks(size_t bytes)
{
    return (LONG)((bytes + MEMORY_ALIGN - 1) / MEMORY_ALIGN);
}

void *port_memory_map(size_t bytes)
{
    LONG blocks = detent_blocks(bytes);
    LONG first = InterlockedExchangeAdd(&detent_blocks_used, blocks);
    uintptr_t memory = detent_memory_first() + (uintptr_t)first * MEMORY_ALIGN;

    if (memory + bytes <= detent_memory_end())
        return memset((void *)memory, 0, bytes);
    InterlockedExchangeAdd(&detent_blocks_used, -blocks);
    return NULL;
}

// Memory is a stack: only what was mapped last can be mapped again, the rest is lost to later maps.
void port_memory_unmap(void *memory, size_t bytes)
{
    LONG first = (LONG)(((uintptr_t)memory - detent_memory_first()) / MEMORY_ALIGN);

    InterlockedCompareExchange(&detent_blocks_used, first, first + detent_blocks(bytes));
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
