// SPDX-License-Identifier: MIT OR Apache-2.0
// Exceptions: a page of a stack is made when it is first touched, a copy of a system call fails when its caller's memory is
// not there, and what else a program does ends its process with a line that names it. The kernel's own stay a panic.
// AMD64 Architecture Programmer's Manual volume 2, 8.2, 8.4.2 (the error code of a page fault).
#include "process/processes.h"
#include "process/registry.h"
#include "process/stacks.h"
#include "process/pages.h"
#include "process/user.h"

#include "core/panic.h"
#include "port.h"
#include "x86/machine.h"

#define EXCEPTION_PAGE_FAULT 14
#define EXCEPTION_MACHINE_CHECK 18
#define FAULT_PRESENT 0x1
#define FAULT_WRITES 0x2
#define FAULT_EXECUTES 0x10

extern const char user_access[], user_access_end[], user_copy_failed[], user_text_failed[];

void process_exception(struct exception_frame *frame, uint64_t address);
void process_kernel_exception(struct exception_frame *frame, uint64_t address);

static bool stack_commit(uint64_t address)
{
    bool guard;
    process_lock();
    bool made = process_stack_holds(process_current, address, &guard) && !guard
                && pages_map(process_current, address, PAGE_WRITE | PAGE_NO_CODE) != NULL;
    process_unlock();
    return made;
}

static const char *exception_name(uint64_t vector)
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
    return vector < EXCEPTIONS && names[vector] != NULL ? names[vector] : "has an exception";
}

static const char *place_name(const struct exception_frame *frame, uint64_t address)
{
    bool guard = false;
    if (!user_holds(address, 1))
        return "which is not its own";
    if (process_stack_holds(process_current, address, &guard))
        return guard ? "which is beyond its stack" : "for which there is no memory";
    if (!(frame->error & FAULT_PRESENT))
        return "where there is nothing";
    return frame->error & FAULT_EXECUTES ? "which is no code" : "which is only to be read";
}

static _Noreturn void fault_end(const struct exception_frame *frame, uint64_t address)
{
    if (frame->vector == EXCEPTION_MACHINE_CHECK)
        exception_panic(frame);
    const char *name = process_current->name;
    unsigned id = process_current->id;
    if (frame->vector == EXCEPTION_PAGE_FAULT)
        NKDbgPrintfW("process %s (%u) ended: at %llx it %s %llx, %s\n", name, id, (unsigned long long)frame->rip,
                     frame->error & FAULT_EXECUTES ? "runs"
                     : frame->error & FAULT_WRITES ? "writes"
                                                   : "reads",
                     (unsigned long long)address, place_name(frame, address));
    else
        NKDbgPrintfW("process %s (%u) ended: at %llx it %s\n", name, id, (unsigned long long)frame->rip,
                     exception_name(frame->vector));
    process_end(process_current, EXCEPTION_EXIT_CODE);
    panic(__func__, "a process that has ended runs");
}

// From entry.S; address is a page fault's. The kernel's: of its own making, and masked, but where it reads or writes for its caller.
void process_kernel_exception(struct exception_frame *frame, uint64_t address)
{
    bool access = frame->rip >= (uint64_t)user_access && frame->rip < (uint64_t)user_access_end;
    if (frame->vector != EXCEPTION_PAGE_FAULT || !access || !user_holds(address, 1))
        exception_panic(frame);
    if (frame->error & FAULT_PRESENT || !stack_commit(address))
        frame->rip = (uint64_t)(frame->rip >= (uint64_t)user_copy_text ? user_text_failed : user_copy_failed);
}

// User mode's.
void process_exception(struct exception_frame *frame, uint64_t address)
{
    bool absent = frame->vector == EXCEPTION_PAGE_FAULT && !(frame->error & FAULT_PRESENT);
    if (!absent || !stack_commit(address))
        fault_end(frame, address);
}
