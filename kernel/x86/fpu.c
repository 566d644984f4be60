// SPDX-License-Identifier: MIT OR Apache-2.0
// Floating-point registers (x87, MMX, SSE) for each thread, lazily: they stay in the processor until another thread uses
// floating point. The first use in a turn traps, the rest does not, and a switch of threads that use none knows nothing of
// it. AMD64 Architecture Programmer's Manual volume 2, 8.2.8 (#NM), 11.5 (saving media and x87 state).
//
//     A uses it          traps; A owns the registers; switch_to is switch_from_fpu
//     A is left for B    uses trap from here on; switch_to is the usual one
//     A runs, uses it    traps; the registers are still A's, so nothing is saved or restored
//     B uses it          traps; A's registers go to A's area, B's come from B's
#include "core/panic.h"
#include "core/ready.h"
#include "machine.h"

#define FPU_CONTROL 0x037F // exceptions masked, 64-bit precision
#define FPU_MXCSR 0x1F80   // exceptions masked

void (*switch_usual)(struct thread *from, struct thread *to) = switch_plain;
void (*switch_to)(struct thread *from, struct thread *to) = switch_plain;
struct fpu_area *fpu_owner;

void fpu_take(void);

// From the trap, with the gate closed once. ISRs and the idle thread have no place for registers.
void fpu_take(void)
{
    static const _Alignas(16) struct fpu_area clean = {.control = FPU_CONTROL, .mxcsr = FPU_MXCSR};
    ASSERT((kernel_gate & ~GATE_OPEN) == 1 && kernel.current != &idle_thread);
    struct fpu_area *area = stack_fpu_area((unsigned)(kernel.current - threads));
    __asm__ volatile("clts" : : : "memory");
    if (fpu_owner != area) {
        if (fpu_owner != NULL)
            __asm__ volatile("fxsave64 %0" : "=m"(*fpu_owner));
        __asm__ volatile("fxrstor64 %0" : : "m"(*(area->used ? area : &clean)));
        area->used = true;
        fpu_owner = area;
    }
    switch_to = switch_from_fpu;
}
