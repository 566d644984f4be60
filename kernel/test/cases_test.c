// SPDX-License-Identifier: MIT OR Apache-2.0
// See cases.h: the functions that the cases share, and main, which runs the cases.
#include "core/threads.h"
#include "core/timeouts.h"
#include "test/cases.h"

#include <stdio.h>

static unsigned failures, checks;
static char order[64]; // letters in the order in which threads passed
HANDLE lock_1, lock_2, event_1, event_2;

void check(bool ok, const char *sentence)
{
    checks++;
    if (!ok) {
        failures++;
        printf("FAIL %s (order \"%s\")\n", sentence, order);
    }
}

void pass(char letter)
{
    size_t length = strlen(order);
    order[length] = letter;
    order[length + 1] = '\0';
}

bool order_was(const char *expected)
{
    return strcmp(order, expected) == 0;
}

void start(const char *profile_name)
{
    profile_choose(profile_name);
    port_start(0);
    order[0] = '\0';
    event_1 = CreateEvent(NULL, FALSE, FALSE, NULL);
    event_2 = CreateEvent(NULL, FALSE, FALSE, NULL);
    lock_1 = CreateMutex(NULL, FALSE, NULL);
    lock_2 = CreateMutex(NULL, FALSE, NULL);
}

HANDLE spawn(LPTHREAD_START_ROUTINE main, uintptr_t argument, int priority)
{
    HANDLE thread = CreateThread(NULL, 0, main, (LPVOID)argument, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, priority);
    ResumeThread(thread);
    return thread;
}

void tick(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        port_interrupt(timeout_tick(profile.tick_ms));
}

DWORD waits_for_event_1(LPVOID letter)
{
    if (WaitForSingleObject(event_1, INFINITE) == WAIT_OBJECT_0)
        pass((char)(uintptr_t)letter);
    return 0;
}

DWORD sets_event_1(LPVOID pulse)
{
    pulse != NULL ? PulseEvent(event_1) : SetEvent(event_1);
    return 0;
}

uint32_t current_priority(HANDLE thread)
{
    return thread_find(thread)->link.priority;
}

static unsigned looks;

static void interrupts_at_the_first_look(void)
{
    if (kernel_gate == GATE_OPEN + 1 && ++looks == 1)
        port_interrupt(DEVICE);
}

// The interrupt's thread runs main at the first lookup of a handle by `caller`.
HANDLE interrupted(LPTHREAD_START_ROUTINE caller, LPTHREAD_START_ROUTINE main)
{
    InterruptInitialize(DEVICE, event_2, NULL, 0);
    spawn(main, 'i', 1);
    HANDLE thread = CreateThread(NULL, 0, caller, NULL, CREATE_SUSPENDED, NULL);
    lock_1 = thread;
    looks = 0;
    port_before_look = interrupts_at_the_first_look;
    ResumeThread(thread);
    port_before_look = NULL;
    return thread;
}

int main(void)
{
    cases_of_threads();
    cases_of_interrupts();
    cases_of_objects();
    cases_of_misuse();
    cases_of_ending();
    cases_of_chains();
    printf("cases: %u checks, %u failed\n", checks, failures);
    return failures != 0;
}
