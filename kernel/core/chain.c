// SPDX-License-Identifier: MIT OR Apache-2.0
// The routines of each interrupt line: the hooked one, and a chain that is called in the order of installation.
#include "core/chain.h"

#include "core/call.h"
#include "core/error.h"
#include "core/lines.h"
#include "core/object.h"

// The handlers of a line form a list in the order of installation. An ISR may walk it at any time, so each change is a
// single store. No thread runs until an ISR has ended, so a handler is never freed while an ISR walks the list.
struct chain_handler {
    CHAIN_ISR routine; // NULL: the entry is free
    DWORD instance;
    uint32_t handle; // the handler's handle; in a free entry, that of its last handler
    struct chain_handler *volatile next;
};

static struct chain_handler handlers[IRQ_LINES][CHAIN_HANDLERS_MAX];
static struct chain_handler *volatile chains[IRQ_LINES];
static ISR hooked[IRQ_LINES]; // the routines set by HookInterrupt
uint32_t chain_unhandled;

// First calls the hooked routine, which may pass the interrupt on. An interrupt that no handler claims must not cause a
// storm, so the result is NOP.
DWORD chain_walk(unsigned irq)
{
    ISR isr = hooked[irq];
    DWORD answer = isr != NULL ? isr() : SYSINTR_CHAIN;
    if (answer == SYSINTR_CHAIN)
        answer = NKCallIntChain((BYTE)irq);
    line_answered(irq, answer);
    return answer != SYSINTR_CHAIN ? answer : (chain_unhandled++, SYSINTR_NOP);
}

// One walk ends at the first answer that is not CHAIN. If the line is still active, another walk starts.
DWORD NKCallIntChain(BYTE irq)
{
    DWORD answer = SYSINTR_CHAIN;
    for (unsigned walk = 0; walk < CHAIN_RESTARTS_MAX && irq < IRQ_LINES; walk++) {
        const struct chain_handler *handler = chains[irq];
        for (; handler != NULL && answer == SYSINTR_CHAIN; handler = handler->next) // at most CHAIN_HANDLERS_MAX rounds
            answer = handler->routine(handler->instance);
        if (answer != SYSINTR_CHAIN || !line_is_active(irq))
            break;
    }
    return answer;
}

// An edge-triggered line without a chain calls its hooked routine directly. A line without either is masked.
static bool line_follow(unsigned irq)
{
    bool walks = chains[irq] != NULL || (hooked[irq] != NULL && lines_level >> irq & 1);
    return line_connect(irq, walks ? line_walker(irq) : hooked[irq]);
}

BOOL line_set_level(unsigned irq, bool level)
{
    bool done = false;
    kernel_enter();
    if (irq < IRQ_LINES && line_trigger(irq, level)) {
        lines_level = level ? lines_level | 1u << irq : lines_level & ~(1u << irq);
        done = line_follow(irq);
    }
    kernel_leave();
    return done || thread_error(ERROR_INVALID_PARAMETER);
}

BOOL HookInterrupt(int irq, ISR isr)
{
    bool connected = false;
    kernel_enter();
    if (irq >= 0 && irq < IRQ_LINES) {
        hooked[irq] = isr;
        connected = line_follow((unsigned)irq);
    }
    kernel_leave();
    return connected || thread_error(ERROR_INVALID_PARAMETER);
}

// The generation changes each time, so that a freed handle stays invalid.
static uint32_t chain_handle_next(const struct chain_handler *handler)
{
    uint32_t place = (uint32_t)(handler - &handlers[0][0]);
    uint32_t generation = (handler->handle & ~(HANDLE_GENERATION - 1)) + HANDLE_GENERATION;
    return (generation > HANDLE_GENERATION_LIMIT ? HANDLE_GENERATION : generation) + place * 64 + KIND_CHAIN;
}

static void chain_append(unsigned irq, struct chain_handler *handler)
{
    struct chain_handler *volatile *end = &chains[irq];
    while (*end != NULL)
        end = &(*end)->next;
    *end = handler;
}

static void chain_remove(unsigned irq, const struct chain_handler *handler)
{
    struct chain_handler *volatile *at = &chains[irq];
    while (*at != handler)
        at = &(*at)->next;
    *at = handler->next;
}

static struct chain_handler *chain_free_handler(unsigned irq)
{
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        if (handlers[irq][i].routine == NULL)
            return &handlers[irq][i];
    return NULL;
}

static DWORD chain_load(unsigned irq, CHAIN_ISR routine, HANDLE *handle)
{
    struct chain_handler *handler = chain_free_handler(irq);
    if (handler == NULL)
        return ERROR_NOT_ENOUGH_MEMORY;
    *handler = (struct chain_handler){
        .routine = routine, .instance = (DWORD)(handler - handlers[irq]), .handle = chain_handle_next(handler)};
    chain_append(irq, handler);
    if (!line_follow(irq)) {
        chain_remove(irq, handler);
        handler->routine = NULL;
        return ERROR_INVALID_PARAMETER;
    }
    *handle = (HANDLE)(uintptr_t)handler->handle;
    return ERROR_SUCCESS;
}

HANDLE LoadIntChainHandler(LPCTSTR module, LPCTSTR routine, BYTE irq)
{
    HANDLE handle = NULL;
    CHAIN_ISR found = chain_routine_find(module, routine);
    kernel_enter();
    DWORD refused = found == NULL      ? ERROR_FILE_NOT_FOUND
                    : irq >= IRQ_LINES ? ERROR_INVALID_PARAMETER
                                       : chain_load(irq, found, &handle);
    kernel_leave();
    if (refused != ERROR_SUCCESS)
        thread_error(refused);
    return handle;
}

BOOL FreeIntChainHandler(HANDLE handle)
{
    unsigned place = (unsigned)HANDLE_INDEX(handle, IRQ_LINES * CHAIN_HANDLERS_MAX), irq = place / CHAIN_HANDLERS_MAX;
    struct chain_handler *handler = &handlers[irq][place % CHAIN_HANDLERS_MAX];
    kernel_enter();
    bool valid = handler->routine != NULL && handler->handle == (uintptr_t)handle;
    if (valid) {
        chain_remove(irq, handler);
        handler->routine = NULL;
        line_follow(irq);
    }
    kernel_leave();
    return valid || thread_error(ERROR_INVALID_HANDLE);
}
