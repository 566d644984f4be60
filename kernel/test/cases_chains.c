// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases with chains of owners. Each owner waits for what the next one owns, and has inherited a priority before that.
#include "test/cases.h"

#define OWNERS 6
#define HIGH 20
#define LOW 100

static HANDLE owners[OWNERS], owned[OWNERS], steps[OWNERS];
static unsigned high_still;

static DWORD owns_and_waits(LPVOID argument)
{
    uintptr_t number = (uintptr_t)argument;
    WaitForSingleObject(owned[number], INFINITE);
    WaitForSingleObject(steps[number], INFINITE);
    WaitForSingleObject(number + 1 < OWNERS ? owned[number + 1] : event_1, INFINITE);
    return 0;
}

static unsigned owners_at(uint32_t priority)
{
    unsigned count = 0;
    for (unsigned i = 0; i < OWNERS; i++)
        count += current_priority(owners[i]) == priority;
    return count;
}

static void chain_build(void)
{
    start("detent");
    for (unsigned i = 0; i < OWNERS; i++) {
        owned[i] = CreateMutex(NULL, FALSE, NULL);
        steps[i] = CreateEvent(NULL, FALSE, FALSE, NULL);
        owners[i] = spawn(owns_and_waits, i, LOW);
    }
    CeSetThreadPriority(owners[0], HIGH);
    for (unsigned i = 0; i < OWNERS; i++)
        SetEvent(steps[i]);
}

static DWORD lowers_the_first(LPVOID unused)
{
    (void)unused;
    CeSetThreadPriority(owners[0], LOW);
    return 0;
}

static DWORD looks_at_the_chain(LPVOID unused)
{
    (void)unused;
    WaitForSingleObject(event_2, INFINITE);
    high_still = owners_at(HIGH);
    return 0;
}

// The interrupt's thread runs while only some of the owners have lost the inherited priority.
static void a_loss_along_a_chain_is_interrupted_and_whole(void)
{
    chain_build();
    check(owners_at(HIGH) == OWNERS, "who inherits and waits then lends what it has inherited");
    interrupted(lowers_the_first, looks_at_the_chain);
    check(high_still > 0 && high_still < OWNERS,
          "an interrupt's thread comes while a chain of owners loses its priority");
    check(owners_at(LOW) == OWNERS, "and all of them lose it");
}

static void a_loss_along_a_chain_is_whole_undisturbed(void)
{
    chain_build();
    CeSetThreadPriority(owners[0], LOW);
    check(owners_at(LOW) == OWNERS, "what the first of a chain loses all lose");
}

void cases_of_chains(void)
{
    a_loss_along_a_chain_is_whole_undisturbed();
    a_loss_along_a_chain_is_interrupted_and_whole();
}
