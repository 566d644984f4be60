// SPDX-License-Identifier: MIT OR Apache-2.0
// The routines of each interrupt line: one hooked routine, or a chain walked in the order of installing.
#include "core/chain.h"

#include "core/object.h"
#include "core/thread.h"
#include "port.h"

struct chain_handler {
    CHAIN_ISR routine; // NULL while free
    DWORD instance;
};

static struct chain_handler chains[IRQ_LINES][CHAIN_HANDLERS_MAX];
uint32_t chain_unhandled;

#define CHAIN_LINES(LINE)                                                                                             \
    LINE(0) LINE(1) LINE(2) LINE(3) LINE(4) LINE(5) LINE(6) LINE(7)                                                   \
    LINE(8) LINE(9) LINE(10) LINE(11) LINE(12) LINE(13) LINE(14) LINE(15)

// An ISR has no argument, so every line has a walker of its own. Nobody's interrupt must not storm: NOP.
#define CHAIN_WALKER(irq)                                                                                             \
    static DWORD chain_walk_##irq(void)                                                                               \
    {                                                                                                                 \
        DWORD answer = NKCallIntChain(irq);                                                                           \
        return answer != SYSINTR_CHAIN ? answer : (chain_unhandled++, SYSINTR_NOP);                                   \
    }
#define CHAIN_ENTRY(irq) chain_walk_##irq,
CHAIN_LINES(CHAIN_WALKER)
static const ISR walkers[IRQ_LINES] = {CHAIN_LINES(CHAIN_ENTRY)};

// One walk ends at the first answer that is not CHAIN; a line still active starts another.
DWORD NKCallIntChain(BYTE irq)
{
    DWORD answer = SYSINTR_CHAIN;
    for (unsigned walk = 0; walk < CHAIN_RESTARTS_MAX; walk++) {
        for (unsigned i = 0; i < CHAIN_HANDLERS_MAX && answer == SYSINTR_CHAIN; i++)
            if (chains[irq][i].routine != NULL)
                answer = chains[irq][i].routine(chains[irq][i].instance);
        if (answer != SYSINTR_CHAIN || !line_is_active(irq))
            break;
    }
    return answer;
}

BOOL HookInterrupt(int irq, ISR isr)
{
    if (irq < 0 || irq >= IRQ_LINES)
        return thread_error(ERROR_INVALID_PARAMETER);
    return line_connect((unsigned)irq, isr) || thread_error(ERROR_INVALID_PARAMETER);
}

static HANDLE chain_handle(unsigned irq, unsigned place)
{
    return (HANDLE)(uintptr_t)(HANDLE_GENERATION + (irq * CHAIN_HANDLERS_MAX + place) * 64 + KIND_CHAIN);
}

// Behind the last one, so that the order of installing is the order of walking.
static unsigned chain_end(unsigned irq)
{
    unsigned end = 0;
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        if (chains[irq][i].routine != NULL)
            end = i + 1;
    return end;
}

HANDLE LoadIntChainHandler(LPCTSTR module, LPCTSTR routine, BYTE irq)
{
    CHAIN_ISR found = chain_routine_find(module, routine);
    unsigned place = irq < IRQ_LINES ? chain_end(irq) : CHAIN_HANDLERS_MAX;
    DWORD refused = found == NULL                   ? ERROR_FILE_NOT_FOUND
                    : irq >= IRQ_LINES              ? ERROR_INVALID_PARAMETER
                    : place == CHAIN_HANDLERS_MAX   ? ERROR_NOT_ENOUGH_MEMORY
                    : !line_connect(irq, walkers[irq]) ? ERROR_INVALID_PARAMETER
                                                    : ERROR_SUCCESS;
    if (refused != ERROR_SUCCESS) {
        thread_error(refused);
        return NULL;
    }
    chains[irq][place].instance = place;
    chains[irq][place].routine = found; // last: the line may be walking the chain
    return chain_handle(irq, place);
}

BOOL FreeIntChainHandler(HANDLE handle)
{
    unsigned place = (unsigned)HANDLE_INDEX(handle, IRQ_LINES * CHAIN_HANDLERS_MAX);
    struct chain_handler *handler = &chains[place / CHAIN_HANDLERS_MAX][place % CHAIN_HANDLERS_MAX];
    if (HANDLE_KIND(handle) != KIND_CHAIN || handler->routine == NULL)
        return thread_error(ERROR_INVALID_HANDLE);
    handler->routine = NULL;
    return TRUE;
}
