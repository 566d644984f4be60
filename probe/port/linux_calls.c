// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: operations that a thread does alone: system calls, uncontended locks, memory.
//
// All memory of the probe is locked, also what it maps later. To measure a missing page, the probe first unlocks the
// memory and gives it back, outside the measured time.
#define _GNU_SOURCE
#include "linux_uring.h"
#include "operations.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define COLD_BYTES (256u * 1024u) // larger than what the C library keeps, so the kernel provides it each time
#define SMALL_BYTES 64u
#define STACK_BELOW (64u * 1024u) // distance from a frame to the touched pages below it; the stack has 256 KiB
#define PAGES_MOST 64u            // more than any batch touches

// The cheapest system call.

static void system_call_repeat(void *room, uint32_t times)
{
    (void)room;
    while (times-- > 0)
        syscall(SYS_getppid);
}

// Critical sections in an array, each entered and left once: entering one repeatedly would take another path.

static const char *critical_sections_make(void *room)
{
    pthread_mutex_t *sections = room;
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    for (size_t i = 0; i < PORT_ROOM_BYTES / sizeof *sections; i++) {
        if (pthread_mutex_init(&sections[i], &attributes) != 0)
            return "this kernel has no mutex with priority inheritance (CONFIG_FUTEX_PI)";
    }
    return NULL;
}

static void critical_sections_enter(void *room, uint32_t times)
{
    pthread_mutex_t *sections = room;

    for (uint32_t i = 0; i < times; i++)
        pthread_mutex_lock(&sections[i]);
}

static void critical_sections_leave(void *room, uint32_t times)
{
    pthread_mutex_t *sections = room;

    for (uint32_t i = 0; i < times; i++)
        pthread_mutex_unlock(&sections[i]);
}

// A timer that does not expire during the measurement.

static const char *timer_make(void *room)
{
    int *file = room;

    *file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    return *file >= 0 ? NULL : "this kernel has no timers (timerfd_create)";
}

static void timer_arm(void *room, uint32_t times)
{
    const struct itimerspec in_an_hour = {.it_value = {.tv_sec = 3600}};

    while (times-- > 0)
        timerfd_settime(*(int *)room, 0, &in_an_hour, NULL);
}

// Allocations of the C library.

static void malloc_small(void *room, uint32_t times)
{
    void **blocks = room;

    for (uint32_t i = 0; i < times; i++)
        blocks[i] = malloc(SMALL_BYTES);
}

static void free_all(void *room, uint32_t times)
{
    void **blocks = room;

    for (uint32_t i = 0; i < times; i++)
        free(blocks[i]);
}

static void malloc_warm_ready(void *room, uint32_t times)
{
    malloc_small(room, times);
    free_all(room, times);
}

// Fixes the threshold, so that the library does not adapt and keep blocks of this size.
static const char *malloc_cold_make(void *room)
{
    (void)room;
    return mallopt(M_MMAP_THRESHOLD, COLD_BYTES / 2) ? NULL : "the C library accepts no threshold for large blocks";
}

static void malloc_large(void *room, uint32_t times)
{
    void **blocks = room;

    for (uint32_t i = 0; i < times; i++) {
        blocks[i] = malloc(COLD_BYTES);
        if (blocks[i])
            *(volatile char *)blocks[i] = 1;
    }
}

// Allocations of the kernel.

static void pages_map(void *room, uint32_t times)
{
    void **pages = room;

    for (uint32_t i = 0; i < times; i++)
        pages[i] = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void pages_unmap(void *room, uint32_t times)
{
    void **pages = room;

    for (uint32_t i = 0; i < times; i++) {
        if (pages[i] != MAP_FAILED)
            munmap(pages[i], PAGE_BYTES);
    }
}

static void pages_give_back(void *first, uint32_t times)
{
    munlock(first, times * PAGE_BYTES);
    madvise(first, times * PAGE_BYTES, MADV_DONTNEED);
}

static void pages_touch(char *first, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        ((volatile char *)first)[i * PAGE_BYTES] = 1;
}

static const char *fault_make(void *room)
{
    void *pages = mmap(NULL, PAGES_MOST * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *(void **)room = pages;
    return pages != MAP_FAILED ? NULL : "no memory for the pages that are touched";
}

static void fault_ready(void *room, uint32_t times)
{
    pages_give_back(*(void **)room, times);
}

static void fault_repeat(void *room, uint32_t times)
{
    pages_touch(*(char **)room, times);
}

// Pages of the calling thread's own stack, far below the part in use.
static void stack_ready(void *room, uint32_t times)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    char *first = (char *)((frame - STACK_BELOW) / PAGE_BYTES * PAGE_BYTES) - times * PAGE_BYTES;

    *(char **)room = first;
    pages_give_back(first, times);
}

static const struct port_call CALLS[] = {
    {"system-call", NULL, NULL, system_call_repeat, NULL},
    {"critical-section-enter", critical_sections_make, NULL, critical_sections_enter, critical_sections_leave},
    {"critical-section-leave", critical_sections_make, critical_sections_enter, critical_sections_leave, NULL},
    {"timer-arm", timer_make, NULL, timer_arm, NULL},
    {"malloc-warm", NULL, malloc_warm_ready, malloc_small, free_all},
    {"malloc-cold", malloc_cold_make, NULL, malloc_large, free_all},
    {"mmap", NULL, NULL, pages_map, pages_unmap},
    {"page-fault", fault_make, fault_ready, fault_repeat, NULL},
    {"stack-touch", NULL, stack_ready, fault_repeat, NULL},
    {"io-uring", linux_uring_make, NULL, linux_uring_repeat, NULL},
};

const struct port_call *port_call(const char *name)
{
    return PORT_ROW(CALLS, name);
}
