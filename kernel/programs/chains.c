// SPDX-License-Identifier: MIT OR Apache-2.0
// The interrupt routines that LoadIntChainHandler finds by name, as a driver's library would export them.
#include "port.h"
#include "programs/text.h"

static DWORD pass_on(DWORD instance)
{
    (void)instance;
    return SYSINTR_CHAIN;
}

static DWORD answer_8(DWORD instance)
{
    (void)instance;
    return SYSINTR_DEVICES;
}

static const struct {
    const char *module, *routine;
    CHAIN_ISR isr;
} routines[] = {
    {"chain", "pass_on", pass_on},
    {"chain", "answer_8", answer_8},
};

CHAIN_ISR chain_routine_find(const char *module, const char *routine)
{
    for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++)
        if (module != NULL && routine != NULL && text_equal(module, routines[i].module)
            && text_equal(routine, routines[i].routine))
            return routines[i].isr;
    return NULL;
}
