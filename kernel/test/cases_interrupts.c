// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of interrupts: events, service, chains, and an interrupt during a broadcast.
#include "core/catch_up.h"
#include "test/cases.h"

static void an_interrupt_s_event_has_its_rules(void)
{
    start("detent");
    HANDLE manual = CreateEvent(NULL, TRUE, FALSE, NULL), list[2] = {event_2, event_1};
    spawn(waits_for_event_1, 'x', 10);
    check(!InterruptInitialize(DEVICE, event_1, NULL, 0), "an event that was waited for is refused");
    check(!InterruptInitialize(DEVICE, manual, NULL, 0), "a manual-reset event is refused");
    check(InterruptInitialize(DEVICE, event_2, NULL, 0), "a fresh auto-reset event is taken");
    check(!InterruptInitialize(DEVICE + 1, event_2, NULL, 0), "but for one interrupt only");
    check(WaitForMultipleObjects(2, list, FALSE, 0) == WAIT_FAILED && GetLastError() == ERROR_INVALID_PARAMETER,
          "WaitForMultipleObjects refuses an interrupt's event");
    profile.wait_multiple_interrupt = true;
    check(WaitForMultipleObjects(2, list, FALSE, 0) == WAIT_TIMEOUT, "which CE 2.12 allowed");
    profile_choose("ce3.0");
    check(WaitForMultipleObjects(2, list, FALSE, 0) == WAIT_FAILED, "and CE 3.0 does not");
    check(!CloseHandle(event_2) && GetLastError() == ERROR_BUSY, "it cannot be closed while in use");
}

static void an_interrupt_in_service_is_held(void)
{
    start("detent");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    spawn(waits_for_event_1, 'i', 10);
    port_interrupt(DEVICE);
    check(order_was("i"), "an interrupt runs its thread at once");
    for (unsigned i = 0; i < 3; i++)
        port_interrupt(DEVICE);
    check(WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT, "nothing is signalled before InterruptDone");
    check(irqs[DEVICE].coalesced == 2, "one more is held and the rest are counted");
    InterruptDone(DEVICE);
    check(WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0, "InterruptDone delivers what was held");
    InterruptDone(DEVICE);
    check(irqs[DEVICE].state == 0, "and the next one ends the service");
    port_interrupt(DEVICE + 1);
    check(irq_unclaimed == 1, "an interrupt without event is counted");
}

static void answers_within_one_call_are_one_event_and_the_rest_counted(void)
{
    start("detent");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    gate_close();
    for (unsigned i = 0; i < 3; i++)
        port_interrupt(DEVICE);
    if (gate_open_found_pending())
        kernel_catch_up();
    check(WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0,
          "an interrupt during a call sets its event when the call ends");
    InterruptDone(DEVICE);
    check(WaitForSingleObject(event_1, 0) == WAIT_TIMEOUT && irqs[DEVICE].coalesced == 2,
          "and two more meanwhile are counted");
}

static void done_at_tick_masks_the_line(void)
{
    start("ce2.12");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    spawn(waits_for_event_1, 'i', 250);
    port_interrupt(DEVICE);
    check(order_was("i") && port_masked_lines == 1u << 7, "the line is masked while in service");
    InterruptDone(DEVICE);
    check(port_masked_lines == 1u << 7, "and after InterruptDone");
    tick(1);
    check(port_masked_lines == 0, "until the next tick");
}

static DWORD chain_run(void)
{
    return port_isrs[9]();
}

static void chains_are_walked_in_order(void)
{
    start("detent");
    HANDLE first = LoadIntChainHandler("chain", "pass_on", 9), second = LoadIntChainHandler("chain", "answer_8", 9);
    check(first != NULL && second != NULL && chain_run() == SYSINTR_DEVICES, "CHAIN goes on to the next routine");
    check(FreeIntChainHandler(second) && !FreeIntChainHandler(second), "a routine is freed once");
    check(chain_run() == SYSINTR_NOP && chain_unhandled == 1, "an interrupt of nobody is a NOP, and counted");
    port_active_reads = 2;
    chain_run();
    check(port_active_reads == 0, "a line that is still active starts the walk again");
    port_active_reads = 100;
    chain_run();
    check(port_active_reads == 100 - CHAIN_RESTARTS_MAX, "but not for ever");
    port_active_reads = 0;
    check(LoadIntChainHandler("chain", "missing", 9) == NULL && GetLastError() == ERROR_FILE_NOT_FOUND,
          "an unknown routine is refused");
    FreeIntChainHandler(first);
}

static void initialize_disable_and_done_mask_their_line(void)
{
    start("detent");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    port_interrupt(DEVICE);
    check(port_masked_lines == 0, "a line of edges is not masked in service: the next edge would be lost");
    InterruptDisable(DEVICE);
    check(port_disabled_lines == 1u << 7, "InterruptDisable masks the line");
    event_1 = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(InterruptInitialize(DEVICE, event_1, NULL, 0) && port_disabled_lines == 0, "InterruptInitialize unmasks it");
}

static DWORD answers_device(void)
{
    return DEVICE;
}

static void a_level_is_masked_until_done(void)
{
    start("detent");
    check(line_set_level(7, true) && port_level_lines == 1u << 7, "a line is made level-triggered");
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    HookInterrupt(7, answers_device);
    port_interrupt(port_isrs[7]());
    check(port_masked_lines == 1u << 7, "it is masked from the answer of its ISR");
    check(WaitForSingleObject(event_1, 0) == WAIT_OBJECT_0 && port_masked_lines == 1u << 7,
          "while its thread serves it");
    InterruptDone(DEVICE);
    check(port_masked_lines == 0 && irqs[DEVICE].coalesced == 0, "to InterruptDone");
    check(!line_set_level(IRQ_LINES, true) && !line_set_level(0, true), "lines that are not there are refused");
    HookInterrupt(7, NULL);
    line_set_level(7, false);
}

static void another_interrupts_in_the_window(void)
{
    port_in_mask = NULL;
    port_interrupt(DEVICE + 1);
}

// Two devices; the second interrupts while the kernel sets the first one's event.
static void deliver_two(const char *profile_name, bool bitmask_defect, bool list_defect)
{
    start(profile_name);
    profile.done_at_tick = true; // so that the kernel calls the port at that moment
    profile.bitmask_defect = bitmask_defect;
    profile.list_defect = list_defect;
    irq_forgotten = 0;
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    InterruptInitialize(DEVICE + 1, event_2, NULL, 0);
    port_in_mask = another_interrupts_in_the_window;
    port_interrupt(DEVICE);
    port_in_mask = NULL;
}

static bool second_is_answered(void)
{
    bool answered = WaitForSingleObject(event_2, 0) == WAIT_OBJECT_0;
    InterruptDone(DEVICE + 1);
    tick(1);
    return answered;
}

static void kb_260302_loses_one_interrupt(void)
{
    deliver_two("ce2.12", false, false);
    check(second_is_answered() && irq_forgotten == 0, "without KB 260302 an interrupt during a delivery is answered");
    deliver_two("ce2.12", true, false);
    check(WaitForSingleObject(event_2, 0) == WAIT_TIMEOUT && irq_forgotten == 1, "with it that one is lost");
    port_interrupt(DEVICE + 1);
    check(second_is_answered(), "and the next one is answered");
}

static void kb_324866_masks_all_later_interrupts(void)
{
    deliver_two("ce3.0", false, false);
    check(second_is_answered() && irq_forgotten == 0, "without KB 324866 an interrupt during a delivery is answered");
    deliver_two("ce3.0", false, true);
    check(WaitForSingleObject(event_2, 0) == WAIT_TIMEOUT && irq_forgotten == 1, "with it its event is not set");
    for (unsigned i = 0; i < 3; i++)
        port_interrupt(DEVICE + 1);
    check(WaitForSingleObject(event_2, 0) == WAIT_TIMEOUT, "and no later one's either");
}

// KB 323461: APP_TEST waits for the interrupt's event while a thread of the same priority computes.
static DWORD computes_while_interrupted(LPVOID letter)
{
    port_interrupt(DEVICE);
    pass((char)(uintptr_t)letter);
    return 0;
}

static void an_equal_computes(const char *profile_name, bool sets_quantum)
{
    start(profile_name);
    InterruptInitialize(DEVICE, event_1, NULL, 0);
    spawn(waits_for_event_1, 'a', 10);
    HANDLE equal = CreateThread(NULL, 0, computes_while_interrupted, (LPVOID)'e', CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(equal, 10);
    if (sets_quantum)
        CeSetThreadQuantum(equal, 100);
    ResumeThread(equal);
}

static void kb_323461_replaces_a_new_thread_by_an_equal(void)
{
    an_equal_computes("ce3.0", false);
    check(order_was("ea"), "on CE 3.0 a thread woken by an interrupt waits for its equal's turn to end");
    an_equal_computes("ce.net", false);
    check(order_was("ae"), "on CE .NET it runs at once");
    an_equal_computes("ce.net", true);
    check(order_was("ea"), "unless the equal's quantum has been set");
}

static DWORD hooked_answer;

static DWORD hooked_isr(void)
{
    pass('h');
    return hooked_answer;
}

static DWORD hooked_isr_calls_the_chain(void)
{
    pass('c');
    return NKCallIntChain(9);
}

static void a_chain_leaves_the_hooked_routine_in_place(void)
{
    start("detent");
    HookInterrupt(9, hooked_isr);
    hooked_answer = DEVICE;
    HANDLE answers = LoadIntChainHandler("chain", "answer_8", 9);
    check(chain_run() == DEVICE && order_was("h"), "a hooked routine answers before the chain of its line");
    hooked_answer = SYSINTR_CHAIN;
    check(chain_run() == SYSINTR_DEVICES && order_was("hh"), "and passes on what is not its own");
    HookInterrupt(9, hooked_isr_calls_the_chain);
    check(chain_run() == SYSINTR_DEVICES && order_was("hhc"), "or calls the chain itself");
    FreeIntChainHandler(answers);
    check(port_isrs[9] == hooked_isr_calls_the_chain, "without a chain it stands alone");
    HookInterrupt(9, NULL);
    check(port_isrs[9] == NULL, "and without either the line is free");
}

static unsigned looks;

static DWORD waits_twice(LPVOID letter)
{
    WaitForSingleObject(event_2, INFINITE); // the interrupt's event
    pass((char)(uintptr_t)letter);
    ResetEvent(event_1);
    if (WaitForSingleObject(event_1, 3) == WAIT_TIMEOUT)
        pass('t');
    return 0;
}

static void interrupts_at_the_second_look(void)
{
    if (kernel_gate == GATE_OPEN + 1 && ++looks == 2)
        port_interrupt(DEVICE);
}

// Between the release of two waiting threads, an interrupt's thread resets the event and waits for it again.
static void a_broadcast_releases_those_who_waited_and_no_others(void)
{
    start("detent");
    event_1 = CreateEvent(NULL, TRUE, FALSE, NULL);
    InterruptInitialize(DEVICE, event_2, NULL, 0);
    spawn(waits_twice, 'i', 1);
    for (unsigned i = 0; i < 4; i++)
        spawn(waits_for_event_1, 'a' + i, 10 + (int)i);
    looks = 0;
    HANDLE setter = CreateThread(NULL, 0, sets_event_1, NULL, CREATE_SUSPENDED, NULL);
    port_before_look = interrupts_at_the_second_look;
    ResumeThread(setter);
    port_before_look = NULL;
    check(order_was("iabcd"), "a broadcast is interrupted, and still releases all who waited, in their order");
    tick(4);
    check(order_was("iabcdt"), "and not the one who came in between");
}

void cases_of_interrupts(void)
{
    an_interrupt_s_event_has_its_rules();
    an_interrupt_in_service_is_held();
    answers_within_one_call_are_one_event_and_the_rest_counted();
    done_at_tick_masks_the_line();
    chains_are_walked_in_order();
    initialize_disable_and_done_mask_their_line();
    a_level_is_masked_until_done();
    kb_260302_loses_one_interrupt();
    kb_323461_replaces_a_new_thread_by_an_equal();
    kb_324866_masks_all_later_interrupts();
    a_chain_leaves_the_hooked_routine_in_place();
    a_broadcast_releases_those_who_waited_and_no_others();
}
