// SPDX-License-Identifier: MIT OR Apache-2.0
// The fuzzer's calls about interrupts, and their invariants: several threads load and free the routines of a chain, and
// initialize and disable an interrupt.
#include "core/event.h"
#include "core/irq.h"
#include "test/fuzz.h"
#include "test/runs.h"

#define LINE 9
#define KEPT 6 // handles of routines; the chain has room for more
#define EVENTS 2

static HANDLE chained[KEPT], wanted[EVENTS];
static const char *broken; // the first invariant that did not hold

void fuzz_lines_start(void)
{
    for (unsigned i = 0; i < EVENTS; i++)
        wanted[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
}

const char *fuzz_lines_broken(void)
{
    const struct irq *irq = &irqs[FUZZ_SYSINTR_SHARED];
    if (irq->event != NULL && irq->event->irq != irq)
        return "an interrupt's event knows whose it is";
    return broken;
}

// No other thread has the handle once its place is empty.
void fuzz_chain_free(void)
{
    unsigned place = random_below(KEPT);
    HANDLE handle = chained[place];
    chained[place] = NULL;
    if (handle == NULL)
        return;
    if (!FreeIntChainHandler(handle))
        broken = "a routine that was loaded is freed once";
    if (FreeIntChainHandler(handle))
        broken = "a freed routine's handle frees nothing";
}

void fuzz_chain_load(void)
{
    HANDLE handle = LoadIntChainHandler("chain", random_below(2) == 0 ? "pass_on" : "answer_8", LINE);
    for (unsigned i = 0; i < KEPT && handle != NULL; i++) {
        if (chained[i] == handle)
            broken = "a routine's handle is nobody else's";
        if (chained[i] == NULL) {
            chained[i] = handle;
            return;
        }
    }
    if (handle != NULL && !FreeIntChainHandler(handle))
        broken = "a routine that was loaded is freed";
}

void fuzz_interrupt_take(void)
{
    InterruptInitialize(FUZZ_SYSINTR_SHARED, wanted[random_below(EVENTS)], NULL, 0);
}

void fuzz_interrupt_drop(void)
{
    if (random_below(2) == 0)
        InterruptDone(FUZZ_SYSINTR_SHARED);
    else
        InterruptDisable(FUZZ_SYSINTR_SHARED);
}
