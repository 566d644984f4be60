// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions that processes need on a PC: the root page table, the kernel's stack, clearing a page, entering user mode.
#ifndef DETENT_PROCESS_INLINE_H
#define DETENT_PROCESS_INLINE_H

#include "process/layout.h"
#include "process/x86/registers.h"

#include "port.h"
#include "x86/machine.h"

#define PROGRAM_MACHINE 62 // the machine that a program's file must name

_Noreturn void process_go(uint64_t start, uint64_t stack, uint64_t argument, uint64_t argument_2, uint64_t flags);
extern uint8_t process_tss[];

static inline void root_load(uint64_t root)
{
    __asm__ volatile("movq %0, %%cr3" : : "r"(root) : "memory");
}

// An interrupt in user mode uses this stack from its top.
static inline void kernel_stack_use(uint64_t stack)
{
    __builtin_memcpy(process_tss + TSS_KERNEL_STACK, &stack, sizeof stack);
}

static inline _Noreturn void user_begin(uint64_t start, uint64_t stack, uint64_t argument, uint64_t argument_2,
                                        uint64_t flags, uint64_t kernel_stack)
{
    (void)kernel_stack; // kernel_stack_use has set the stack
    process_go(start, stack, argument, argument_2, flags);
}

// The frame that switch_plain pops from the stack of a thread that continues there.
static inline void *switch_frame_make(uint64_t stack, const char *start)
{
    uint64_t *frame = (uint64_t *)stack - 8; // six registers, the address to continue at, a return address
    frame[6] = (uint64_t)start;
    return frame;
}

static inline void page_clear(void *at)
{
    uint64_t words = PAGE_BYTES / 8;
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(0) : "memory");
}

// Does nothing: the CPU detects code that was written to a page.
static inline void page_is_code(const uint8_t *page)
{
    (void)page;
}

bool user_copy(void *to, const void *from, size_t bytes); // defined in entry.S

static inline bool user_copy_in(void *to, const void *from, size_t bytes)
{
    return user_copy(to, from, bytes);
}

static inline bool user_copy_out(void *to, const void *from, size_t bytes)
{
    return user_copy(to, from, bytes);
}

#endif
