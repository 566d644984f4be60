// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent's own functions of the bench (bench.h): its interrupt, as a driver serves it, scheduling, and the end of a run.
#include "../bench/bench.h"
#include "../bench/ports.h"

#include "../../../probe/port/port.h"

#include "board.h"
#include "detent.h"
#include "programs/outputs.h"

// The kernel does not depend on the lab: it drives a PC's parallel ports, or a page with their registers. The instrument watches
// the outputs of its programs.
_Static_assert(PARALLEL_1 == CONNECTOR_A_PORT && LINE_1 == CONNECTOR_A_IRQ, "port A");
_Static_assert(PARALLEL_2 == CONNECTOR_B_PORT && LINE_2 == CONNECTOR_B_IRQ, "port B");
_Static_assert(PARALLEL_CONTROL == CONNECTOR_CONTROL && PARALLEL_INTERRUPT == CONNECTOR_ARMED, "control register");
_Static_assert(OUTPUT_ISR == CONNECTOR_LINE_ISR && OUTPUT_IST == CONNECTOR_LINE_IST, "lines of the interrupt");
_Static_assert(OUTPUT_APPLICATION == CONNECTOR_LINE_APP && OUTPUT_PROGRESS == CONNECTOR_LINE_PROGRESS, "other lines");

#if !defined(__x86_64__)
volatile uint8_t *connector_page = (volatile uint8_t *)CONNECTOR_WINDOW;
#endif

#define BENCH_SYSINTR (SYSINTR_FIRMWARE + CONNECTOR_A_IRQ)

static HANDLE interrupt_event;

bool ports_permit(void)
{
    return true; // all threads here run in the kernel
}

static DWORD interrupt_isr(void)
{
    line_raise(LINE_ISR);
    line_lower(LINE_ISR);
    connector_interrupt_taken();
    return BENCH_SYSINTR;
}

const char *interrupt_open(void)
{
    interrupt_event = CreateEvent(NULL, FALSE, FALSE, NULL);
    if (!InterruptInitialize(BENCH_SYSINTR, interrupt_event, NULL, 0))
        return "InterruptInitialize refuses";
    if (!HookInterrupt(CONNECTOR_A_IRQ, interrupt_isr))
        return "HookInterrupt refuses";
    connector_interrupt(false);
    connector_interrupt(true);
    return NULL;
}

bool interrupt_wait(void)
{
    return WaitForSingleObject(interrupt_event, INFINITE) == WAIT_OBJECT_0;
}

void interrupt_done(void)
{
    InterruptDone(BENCH_SYSINTR);
}

const char *thread_ordinary(void)
{
    return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_NORMAL) ? NULL : "cannot become an ordinary thread";
}

void thread_yield(void)
{
    Sleep(0);
}

_Noreturn void boot_fail(const char *what, const char *why)
{
    NKDbgPrintfW("bench: %s: %s\n", what, why);
    port_exit(1);
}

// Detent has no loads of its own.
const struct load *system_load(const char *name)
{
    (void)name;
    return NULL;
}
