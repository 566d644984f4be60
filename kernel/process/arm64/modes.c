// SPDX-License-Identifier: MIT OR Apache-2.0
// Prepares the CPU for user mode: page tables for addresses of 48 bits, the permissions of level 0, and exception vectors for
// user mode. Nothing else of the kernel changes. Arm Architecture Reference Manual for A-profile, D5.3.3 (limits in a table's
// entry), D13.2.118 (SCTLR_EL1), D13.8.16 (CNTKCTL_EL1).
#include "process/modes.h"

#include "process/process.h"

#include "port.h"

#define TABLE_OF_KERNEL \
    (1ull << 60 | 1ull << 61) // whatever lower entries permit: level 0 executes no code there, and has no access
#define CONTROL_STACKS_ALIGNED 0x10
#define CONTROL_MASKS 0x200      // level 0 may mask interrupts
#define CONTROL_CACHES 0x4008000 // level 0 may write back caches, for code that it has written
#define CONTROL_ZEROES 0x4000
#define CONTROL_WAITS 0x10000
#define CONTROL_WAITS_EVENT 0x40000
#define CONTROL_ACCESS_KEPT 0x800000 // entering the kernel does not change its access to user memory
#define COUNTER_READ 0x2
#define FEATURES_ACCESS_SHIFT 20
#define FEATURES_COUNTERS_SHIFT 8
#define FEATURE 0xF
#define COUNTERS_USER S3_3_C9_C14_0 // PMUSERENR_EL0

_Static_assert(offsetof(struct process, root) == PROCESS_ROOT, "what entry.S knows of it");

struct process process_none = {.flags = USER_FLAGS};
struct process *process_current = &process_none;

extern uint64_t page_root[]; // boot.S: the tables for half a TiB, which contains all of the kernel
extern const char process_vectors[];
void translation_use(uint64_t root); // defined in entry.S

static _Alignas(PAGE_BYTES) uint64_t root[PAGE_BYTES / 8];

// If the CPU supports PAN, the kernel accesses a process's memory only with the rights of user mode, as entry.S's copies do.
// Every page forbids the kernel to execute a process's code.
static uint64_t control_of_access(uint64_t control)
{
    if ((SYSTEM_READ(id_aa64mmfr1_el1) >> FEATURES_ACCESS_SHIFT & FEATURE) == 0)
        return control;
    __asm__ volatile(".inst 0xD500419F" : : : "memory"); // msr pan, #1
    return control & ~(uint64_t)CONTROL_ACCESS_KEPT;
}

static void level_0_restrain(void)
{
    uint64_t control = SYSTEM_READ(sctlr_el1) & ~(uint64_t)(CONTROL_MASKS | CONTROL_WAITS);
    control |= CONTROL_STACKS_ALIGNED | CONTROL_CACHES | CONTROL_ZEROES | CONTROL_WAITS_EVENT;
    SYSTEM_WRITE(sctlr_el1, control_of_access(control));
    SYSTEM_WRITE(cntkctl_el1, COUNTER_READ);
    if (SYSTEM_READ(id_aa64dfr0_el1) >> FEATURES_COUNTERS_SHIFT & FEATURE)
        SYSTEM_WRITE(COUNTERS_USER, 0);
}

bool modes_start(void)
{
    uintptr_t earlier = interrupts_save();
    root[0] = (uint64_t)page_root | PAGE_TABLE | TABLE_OF_KERNEL;
    process_none.root = (uint64_t)root;
    translation_use(process_none.root);
    level_0_restrain();
    SYSTEM_WRITE(vbar_el1, process_vectors);
    processor_synchronize();
    interrupts_restore(earlier);
    return true;
}
