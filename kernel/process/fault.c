// SPDX-License-Identifier: MIT OR Apache-2.0
// Exceptions of processes. The first touch of a stack page allocates the page. If the memory of a system call's caller is
// missing, the copy fails. Any other exception of a program prints a line and ends the program's process. The kernel's own
// exceptions still panic.
#include "process/processes.h"
#include "process/registry.h"
#include "process/stacks.h"
#include "process/pages.h"
#include "process/user.h"

#include "core/panic.h"
#include "port.h"
#include "fault_inline.h"

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

// For machines whose I/O ports are a page of memory: the first access maps the page.
static bool ports_commit(uint64_t address)
{
    uint64_t page = ports_page(process_current->flags, address);
    if (page == 0)
        return false;
    process_lock();
    bool made = pages_share(process_current, address & ~(uint64_t)(PAGE_BYTES - 1), page, PAGE_WRITE | PAGE_NO_CODE);
    process_unlock();
    return made;
}

static const char *place_name(const struct exception_frame *frame, uint64_t address)
{
    bool guard = false;
    if (!user_holds(address, 1))
        return "which is not its own";
    if (process_stack_holds(process_current, address, &guard))
        return guard ? "which is beyond its stack" : "for which there is no memory";
    if (!fault_is_refusal(frame))
        return "where there is nothing";
    return fault_executes(frame) ? "which is no code" : "which is only to be read";
}

static _Noreturn void fault_end(const struct exception_frame *frame, uint64_t address)
{
    if (fault_is_of_machine(frame))
        fault_panic(frame, address);
    const char *name = process_current->name;
    unsigned id = process_current->id;
    if (fault_is_of_page(frame))
        NKDbgPrintfW("process %s (%u) ended: at %llx it %s %llx, %s\n", name, id, (unsigned long long)fault_at(frame),
                     fault_executes(frame) ? "runs"
                     : fault_writes(frame) ? "writes"
                                           : "reads",
                     (unsigned long long)address, place_name(frame, address));
    else
        NKDbgPrintfW("process %s (%u) ended: at %llx it %s\n", name, id, (unsigned long long)fault_at(frame),
                     fault_name(frame));
    process_end(process_current, EXCEPTION_EXIT_CODE);
    panic(__func__, "a process that has ended runs");
}

// Called from entry.S for an exception in the kernel; `address` is that of a page fault. Unless the kernel accessed
// memory for its caller, the exception is the kernel's own, and interrupts are disabled.
void process_kernel_exception(struct exception_frame *frame, uint64_t address)
{
    bool access = fault_at(frame) >= (uint64_t)user_access && fault_at(frame) < (uint64_t)user_access_end;
    if (!fault_is_of_page(frame) || !access || !user_holds(address, 1))
        fault_panic(frame, address);
    if (fault_is_refusal(frame) || !stack_commit(address))
        fault_go_on(frame,
                    (uint64_t)(fault_at(frame) >= (uint64_t)user_copy_text ? user_text_failed : user_copy_failed));
}

// Called from entry.S for an exception of user mode.
void process_exception(struct exception_frame *frame, uint64_t address)
{
    bool absent = fault_is_of_page(frame) && !fault_is_refusal(frame);
    if (!absent || !(stack_commit(address) || ports_commit(address)))
        fault_end(frame, address);
}
