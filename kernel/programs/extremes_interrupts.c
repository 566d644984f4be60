// SPDX-License-Identifier: MIT OR Apache-2.0
// Extremes with interrupts: chains of routines at their greatest length, and lines that share one SYSINTR.
#include "core/chain.h"
#include "programs/extremes.h"
#include "programs/figures.h"

#define SYSINTR_SHARED (SYSINTR_FIRMWARE + 3)

static HANDLE handlers[CHAIN_HANDLERS_MAX], event;
static const uint8_t lines[] = {LINES_FREE};
#define LINES (sizeof lines / sizeof lines[0])

static void handler_load(unsigned place)
{
    handlers[place] = LoadIntChainHandler(_T("chain"), _T("pass_on"), LINE_FREE);
}

static void handlers_begin(void)
{
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        handler_load(i);
}

static void handler_replace(void)
{
    FreeIntChainHandler(handlers[CHAIN_HANDLERS_MAX - 1]);
    handler_load(CHAIN_HANDLERS_MAX - 1);
}

static void handlers_call(void)
{
    line_interrupt(LINE_FREE);
}

static void handlers_end(void)
{
    for (unsigned i = 0; i < CHAIN_HANDLERS_MAX; i++)
        FreeIntChainHandler(handlers[i]);
}

static DWORD isr_shared(void)
{
    return SYSINTR_SHARED;
}

static void lines_begin(void)
{
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    for (unsigned i = 0; i < LINES; i++) {
        line_set_level(lines[i], true);
        HookInterrupt(lines[i], isr_shared);
    }
    InterruptInitialize(SYSINTR_SHARED, event, NULL, 0);
}

static void lines_ask(void)
{
    for (unsigned i = 0; i < LINES; i++)
        line_interrupt(lines[i]);
}

static void lines_done_with(void)
{
    InterruptDone(SYSINTR_SHARED);
}

static void lines_end(void)
{
    InterruptDisable(SYSINTR_SHARED);
    for (unsigned i = 0; i < LINES; i++) {
        HookInterrupt(lines[i], NULL);
        line_set_level(lines[i], false);
    }
    CloseHandle(event);
}

const struct extreme extremes_of_interrupts[] = {
    {{"FreeIntChainHandler+Load-of-8", handler_replace, NULL, NULL, 0, false}, handlers_begin, handlers_end},
    {{"interrupt-through-8-routines", handlers_call, NULL, NULL, 0, false}, handlers_begin, handlers_end},
    {{"InterruptDone-9-level-lines", lines_done_with, lines_ask, lines_done_with, 0, false}, lines_begin, lines_end},
    {{0}, NULL, NULL},
};
