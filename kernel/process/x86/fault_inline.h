// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a PC's description of an exception. AMD64 Architecture Programmer's Manual volume 2, 8.2, 8.4.2 (the error code of a page
// fault).
#ifndef DETENT_FAULT_INLINE_H
#define DETENT_FAULT_INLINE_H

#include "x86/machine.h"

#define EXCEPTION_PAGE_FAULT 14
#define EXCEPTION_MACHINE_CHECK 18
#define FAULT_PRESENT 0x1
#define FAULT_WRITES 0x2
#define FAULT_EXECUTES 0x10

static inline bool fault_is_of_page(const struct exception_frame *frame)
{
    return frame->vector == EXCEPTION_PAGE_FAULT;
}
// For a page fault: whether the page is present but does not permit the access.
static inline bool fault_is_refusal(const struct exception_frame *frame)
{
    return frame->error & FAULT_PRESENT;
}
static inline bool fault_writes(const struct exception_frame *frame)
{
    return frame->error & FAULT_WRITES;
}
static inline bool fault_executes(const struct exception_frame *frame)
{
    return frame->error & FAULT_EXECUTES;
}
// Whether the machine caused the exception, and not a program.
static inline bool fault_is_of_machine(const struct exception_frame *frame)
{
    return frame->vector == EXCEPTION_MACHINE_CHECK;
}
static inline uint64_t fault_at(const struct exception_frame *frame)
{
    return frame->rip;
}
static inline void fault_go_on(struct exception_frame *frame, uint64_t at)
{
    frame->rip = at;
}

static inline const char *fault_name(const struct exception_frame *frame)
{
    static const char *const names[EXCEPTIONS] = {[0] = "divides by zero",
                                                  [1] = "steps through itself",
                                                  [3] = "has a breakpoint",
                                                  [4] = "overflows",
                                                  [5] = "is out of bounds",
                                                  [6] = "has an instruction that is none",
                                                  [13] = "does what only the kernel may",
                                                  [16] = "has an exception of floating point",
                                                  [17] = "is out of alignment",
                                                  [19] = "has an exception of floating point"};
    return frame->vector < EXCEPTIONS && names[frame->vector] != NULL ? names[frame->vector] : "has an exception";
}

static inline _Noreturn void fault_panic(const struct exception_frame *frame, uint64_t address)
{
    (void)address; // the panic reads the address again
    exception_panic(frame);
}

#endif
