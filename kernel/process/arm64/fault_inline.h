// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads arm64's description of an exception. Arm Architecture Reference Manual for A-profile, D13.2.37 (ESR_EL1).
#ifndef DETENT_FAULT_INLINE_H
#define DETENT_FAULT_INLINE_H

#include "process_inline.h"

#define SYNDROME_CLASS_SHIFT 26
#define CLASSES 64
#define CLASS_CODE 0x20
#define CLASS_DATA 0x24
#define CLASS_DATA_KERNEL 0x25
#define FAULT_WRITES 0x40
#define FAULT_STATUS 0x3F
#define FAULT_LEVEL 0x03
#define STATUS_REFUSAL 0x0C // permission refused, at any table level
#define STATUS_OF_MACHINE 0x10

static inline unsigned fault_class(const struct exception_frame *frame)
{
    return frame->syndrome >> SYNDROME_CLASS_SHIFT & (CLASSES - 1);
}

static inline bool fault_is_of_page(const struct exception_frame *frame)
{
    unsigned class = fault_class(frame);
    return class == CLASS_CODE || class == CLASS_DATA || class == CLASS_DATA_KERNEL;
}
// For a page fault: whether the page is present but does not permit the access.
static inline bool fault_is_refusal(const struct exception_frame *frame)
{
    return (frame->syndrome & FAULT_STATUS & ~FAULT_LEVEL) == STATUS_REFUSAL;
}
static inline bool fault_executes(const struct exception_frame *frame)
{
    return fault_class(frame) == CLASS_CODE;
}
static inline bool fault_writes(const struct exception_frame *frame)
{
    return !fault_executes(frame) && frame->syndrome & FAULT_WRITES;
}
// Whether the machine caused the exception, and not a program.
static inline bool fault_is_of_machine(const struct exception_frame *frame)
{
    return fault_is_of_page(frame) && (frame->syndrome & FAULT_STATUS) == STATUS_OF_MACHINE;
}
static inline uint64_t fault_at(const struct exception_frame *frame)
{
    return frame->pc;
}
static inline void fault_go_on(struct exception_frame *frame, uint64_t at)
{
    frame->pc = at;
}

static inline const char *fault_name(const struct exception_frame *frame)
{
    static const char *const names[CLASSES] = {[0x00] = "has an instruction that is none, or only the kernel's",
                                               [0x01] = "does what only the kernel may",
                                               [0x18] = "does what only the kernel may",
                                               [0x22] = "runs out of alignment",
                                               [0x26] = "has a stack out of alignment",
                                               [0x3C] = "has a breakpoint"};
    unsigned class = fault_class(frame);
    return names[class] != NULL ? names[class] : "has an exception";
}

static inline _Noreturn void fault_panic(const struct exception_frame *frame, uint64_t address)
{
    exception_panic(frame->state & 0xF ? 4 : 8, frame->syndrome, address, frame->pc, (uint64_t)(frame + 1));
}

#endif
