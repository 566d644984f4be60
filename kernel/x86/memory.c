// SPDX-License-Identifier: MIT OR Apache-2.0
// Allocates the memory after the image, up to the end that the boot loader gives. Allocated memory is never freed.
// Multiboot specification 0.6.96, 3.3.
#include "board.h"
#include "core/ready.h"
#include "machine.h"
#include "port.h"
#include "ports/memory_give.h"

#define MEMORY_HIGH_START 0x100000
#define MEMORY_WITHOUT_WORD (32u << 20) // end of memory if the loader gives none
#define MEMORY_LIMIT (3ull << 30)       // devices are above it
#define MULTIBOOT_MEMORY 0x1            // bits in the flags word
#define MULTIBOOT_MODULES 0x8

static uint64_t next, end;
static struct multiboot_module module; // a copy, because the loader's memory is reused later

const void *boot_module(size_t *bytes)
{
    *bytes = module.end - module.start;
    return (const void *)(uintptr_t)module.start;
}

// Memory is allocated after the last module, and a loader puts nothing below that except the kernel.
static uint64_t modules_end(const struct multiboot_information *information)
{
    if ((information->flags & MULTIBOOT_MODULES) == 0 || information->modules_count == 0)
        return 0;
    module = *(const struct multiboot_module *)(uintptr_t)information->modules;
    return module.end;
}

void memory_init(const struct multiboot_information *information)
{
    uint64_t image_end = (uint64_t)bss_end;
    uint64_t used_end = modules_end(information);
    used_end = used_end > image_end ? used_end : image_end;
    next = (used_end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    end = information->flags & MULTIBOOT_MEMORY ? MEMORY_HIGH_START + (uint64_t)information->memory_high * 1024
                                                : MEMORY_WITHOUT_WORD;
    end = end < MEMORY_LIMIT ? end : MEMORY_LIMIT;
}

void *memory_take(size_t bytes)
{
    return memory_give(&next, end, bytes);
}
