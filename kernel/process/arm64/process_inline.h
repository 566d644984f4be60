// SPDX-License-Identifier: MIT OR Apache-2.0
// The inline functions that processes need on arm64: the root page table, clearing a page, entering user mode. Arm Architecture
// Reference Manual for A-profile, D5 (translation, ASIDs), D7.2 (cache maintenance).
#ifndef DETENT_PROCESS_INLINE_H
#define DETENT_PROCESS_INLINE_H

#include "process/layout.h"

#include "arm64/machine.h"
#include "port.h"

#define PROGRAM_MACHINE 183 // the machine that a program's file must name
#define USER_FLAGS 0
#define USER_FLAGS_OF_PORTS 1 // the process may use the connector's page (pages_inline.h)

_Noreturn void process_go(uint64_t start, uint64_t stack, uint64_t argument, uint64_t argument_2,
                          uint64_t kernel_stack);

// Loads the tables. The upper bits are the number (ASID) by which the TLB distinguishes address spaces.
static inline void root_load(uint64_t root)
{
    __asm__ volatile("msr ttbr0_el1, %0\n\tisb" : : "r"(root) : "memory");
}

// Does nothing: the stack pointer of level 1 keeps the value that it has when the thread leaves the kernel.
static inline void kernel_stack_use(uint64_t stack)
{
    (void)stack;
}

static inline _Noreturn void user_begin(uint64_t start, uint64_t stack, uint64_t argument, uint64_t argument_2,
                                        uint64_t flags, uint64_t kernel_stack)
{
    (void)flags;
    process_go(start, stack, argument, argument_2, kernel_stack);
}

// The frame that switch_plain pops from the stack of a thread that continues there.
static inline void *switch_frame_make(uint64_t stack, const char *start)
{
    uint64_t *frame = (uint64_t *)(stack - SWITCH_BYTES);
    frame[1] = (uint64_t)start;
    return frame;
}

static inline void page_clear(void *at)
{
    uint64_t bytes = PAGE_BYTES;
    __asm__ volatile("1:\tstp xzr, xzr, [%0]\n\t"
                     "stp xzr, xzr, [%0, #16]\n\t"
                     "stp xzr, xzr, [%0, #32]\n\t"
                     "stp xzr, xzr, [%0, #48]\n\t"
                     "add %0, %0, #64\n\t"
                     "subs %1, %1, #64\n\t"
                     "b.ne 1b"
                     : "+r"(at), "+r"(bytes)
                     :
                     : "cc", "memory");
}

// Makes the code that was written to a page executable.
static inline void page_is_code(const uint8_t *page)
{
    code_appears(page, PAGE_BYTES);
}

// Defined in entry.S: accesses the process's memory with the rights of user mode.
bool user_copy_in(void *to, const void *from, size_t bytes);
bool user_copy_out(void *to, const void *from, size_t bytes);

// Invalidates the TLB entry of one page in every address space.
static inline void page_forget(uint64_t address)
{
    __asm__ volatile("dsb ishst\n\ttlbi vaae1, %0\n\tdsb ish\n\tisb" : : "r"(address / PAGE_BYTES) : "memory");
}

// The frame of an exception, in the layout of process/arm64/entry.S.
struct exception_frame {
    uint64_t registers[12], pc, state, syndrome, rest;
};
_Static_assert(sizeof(struct exception_frame) == FRAME_BYTES && offsetof(struct exception_frame, pc) == FRAME_ADDRESS
                   && offsetof(struct exception_frame, syndrome) == FRAME_NUMBER,
               "what entry.S knows of it");

#endif
