// SPDX-License-Identifier: MIT OR Apache-2.0
// The port in a process, for the tests of the core: threads are fibers, and interrupts are calls.
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "core/catch_up.h"
#include "core/chain.h"
#include "core/create.h"
#include "core/irq.h"
#include "core/ready.h"
#include "core/start.h"

// NULL if the test is built without the address sanitizer.
#pragma weak __sanitizer_start_switch_fiber
#pragma weak __sanitizer_finish_switch_fiber

#define FIBER_STACK_BYTES (256 * 1024)
#define FIBERS_MAX (THREADS_MAX + 2) // including those of the clock thread and the idle thread

struct fiber {
    ucontext_t context;
    char *stack;
    void *sanitizer_stack;
};

static struct fiber fibers[FIBERS_MAX];
void (*port_before_open)(void), (*port_before_close)(void), (*port_before_look)(void);
ISR port_isrs[IRQ_LINES];
unsigned port_active_reads;

static void fiber_arrive(void *sanitizer_stack)
{
    if (__sanitizer_finish_switch_fiber != NULL)
        __sanitizer_finish_switch_fiber(sanitizer_stack, NULL, NULL);
}

static void fiber_main(void)
{
    fiber_arrive(NULL);
    thread_begin();
}

// The first switch leaves the test's own stack, which is the idle thread's fiber.
static void fiber_switch(struct thread *from, struct thread *to)
{
    struct fiber *self = from->stack_pointer, *next = to->stack_pointer;
    if (self == NULL)
        from->stack_pointer = self = &fibers[FIBERS_MAX - 1];
    if (__sanitizer_start_switch_fiber != NULL)
        __sanitizer_start_switch_fiber(&self->sanitizer_stack, next->stack, FIBER_STACK_BYTES);
    swapcontext(&self->context, &next->context);
    fiber_arrive(self->sanitizer_stack);
}

void (*switch_to)(struct thread *from, struct thread *to) = fiber_switch;

static __attribute__((noinline)) struct fiber *fiber_of(unsigned index)
{
    struct fiber *fiber = &fibers[index];
    if (fiber->stack == NULL)
        fiber->stack = malloc(FIBER_STACK_BYTES);
    return fiber;
}

bool stack_make(unsigned index)
{
    (void)index;
    return true;
}

void *memory_take(size_t bytes)
{
    return calloc(1, bytes);
}

void *stack_prepare(unsigned index)
{
    struct fiber *volatile fiber = fiber_of(index); // here getcontext returns only once
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = FIBER_STACK_BYTES;
    makecontext(&fiber->context, fiber_main, 0);
    return fiber;
}

void port_interrupt(DWORD answer)
{
    kernel_gate++;
    if (answer >= SYSINTR_LIMIT)
        irq_unclaimed++;
    else if (answer != SYSINTR_NOP) {
        irqs[answer].coalesced += (kernel_pending >> answer & 1) != 0;
        pending_add(answer);
    }
    if (--kernel_gate == 0)
        kernel_catch_up_masked();
}

void port_start(uint64_t now_ms)
{
    kernel = (struct kernel){.now_ms = now_ms};
    kernel_gate = GATE_OPEN;
    kernel_pending = 0;
    idle_thread.stack_pointer = NULL;
    kernel_init();
}

void clock_resume(void)
{
}

bool line_connect(unsigned irq, ISR isr)
{
    port_isrs[irq] = isr;
    port_disabled_lines &= ~(1u << irq);
    return true;
}

// clang-format off
#define LINES(LINE)                                                                                                   \
    LINE(0) LINE(1) LINE(2) LINE(3) LINE(4) LINE(5) LINE(6) LINE(7)                                                   \
    LINE(8) LINE(9) LINE(10) LINE(11) LINE(12) LINE(13) LINE(14) LINE(15)
// clang-format on
#define WALKER(irq) \
    static DWORD walker_##irq(void) \
    { \
        return chain_walk(irq); \
    }
#define ENTRY(irq) walker_##irq,
LINES(WALKER)
const ISR port_walkers[IRQ_LINES] = {LINES(ENTRY)};

unsigned port_masked_lines, port_disabled_lines, port_level_lines;
void (*port_in_mask)(void);

void line_mask(unsigned irq, enum line_mask why, bool masked)
{
    unsigned *lines = why == LINE_DISABLED ? &port_disabled_lines : &port_masked_lines;
    *lines = masked ? *lines | 1u << irq : *lines & ~(1u << irq);
    if (port_in_mask != NULL)
        port_in_mask();
}

bool line_trigger(unsigned irq, bool level)
{
    port_level_lines = level ? port_level_lines | 1u << irq : port_level_lines & ~(1u << irq);
    return irq != 0;
}

int sysintr_line(unsigned sysintr)
{
    return sysintr >= SYSINTR_FIRMWARE && sysintr < SYSINTR_FIRMWARE + IRQ_LINES ? (int)(sysintr - SYSINTR_FIRMWARE)
                                                                                 : -1;
}

bool line_is_active(unsigned irq)
{
    (void)irq;
    return port_active_reads > 0 && port_active_reads--;
}

DWORD GetIdleTime(void)
{
    return MAXDWORD;
}

uint64_t counter_read(void)
{
    return 0;
}
uint64_t counter_hz = 1;
void trail_start(void)
{
}
void console_put(char c)
{
    putchar(c);
}
int console_get(void)
{
    return -1;
}

const char *symbol_name(uintptr_t address, uintptr_t *offset)
{
    (void)address, (void)offset;
    return "a thread";
}

_Noreturn void machine_stop(bool failed)
{
    fflush(stdout);
    abort();
    (void)failed;
}
