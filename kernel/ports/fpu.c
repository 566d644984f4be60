// SPDX-License-Identifier: MIT OR Apache-2.0
// The kernel switches floating-point registers lazily: they stay in the CPU until another thread uses floating point. The first
// use in a turn traps, later uses do not, and a switch between threads that use none has no extra cost.
//
//     A uses it          traps; A owns the registers; switch_to is switch_from_fpu
//     A is left for B    uses trap from here on; switch_to is the usual one
//     A runs, uses it    traps; the registers are still A's, so nothing is saved or restored
//     B uses it          traps; A's registers go to A's area, B's come from B's
#include "core/panic.h"
#include "core/ready.h"
#include "machine.h"

void (*switch_usual)(struct thread *from, struct thread *to) = switch_plain;
void (*switch_to)(struct thread *from, struct thread *to) = switch_plain;
struct fpu_area *fpu_owner;

void fpu_take(void);

// Called from the trap, with the gate closed once. ISRs and the idle thread have no area for these registers.
void fpu_take(void)
{
    static const _Alignas(16) struct fpu_area clean = FPU_CLEAN;
    ASSERT((gate_word() & ~GATE_OPEN) == 1 && kernel.current != &idle_thread);
    struct fpu_area *area = stack_fpu_area((unsigned)(kernel.current - threads));
    fpu_permit();
    if (fpu_owner != area) {
        if (fpu_owner != NULL)
            fpu_save(fpu_owner);
        fpu_restore(area->used ? area : &clean);
        area->used = true;
        fpu_owner = area;
    }
    switch_to = switch_from_fpu;
}
