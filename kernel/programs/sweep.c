// SPDX-License-Identifier: MIT OR Apache-2.0
// The exhaustive sweep: for every call, and for every instruction of it, one run in which an interrupt
// becomes due at that instruction. The ISR's delay beyond its least is the rest of a masked stretch, the
// interrupt thread's the rest of a stretch without preemption; the largest over all instants is exact.
#include "programs/sweep.h"

#include "programs/figures.h"
#include "programs/stimulus.h"
#include "x86/parallel.h"

#define UNITS_FIRST 6 // the call starts within this many units after arming
#define LENGTH_MAX 6000
#define SYSINTR_SWEEP (SYSINTR_FIRMWARE + 7)
#define IST_PRIORITY 0

static HANDLE event;
static volatile uint32_t isr_at, isr_gate, ist_at, answers;
static volatile uint64_t isr_interrupted;
DWORD sweep_isr(void);

// Stamps first, then notes the gate, and the interrupted address: above the return address and nine registers.
__asm__(".text\n"
        "sweep_isr:\n\t"
        "rdtsc\n\t"
        "movl %eax, isr_at\n\t"
        "movl kernel_gate, %eax\n\t"
        "movl %eax, isr_gate\n\t"
        "movq 80(%rsp), %rax\n\t"
        "movq %rax, isr_interrupted\n\t"
        "movl $31, %eax\n\t"
        "ret\n");
_Static_assert(SYSINTR_SWEEP == 31, "sweep_isr's answer");

static DWORD ist_main(LPVOID unused)
{
    (void)unused;
    while (WaitForSingleObject(event, INFINITE) == WAIT_OBJECT_0) {
        ist_at = stamp();
        answers++;
        InterruptDone(SYSINTR_SWEEP);
    }
    return 1;
}

static void sweep_add(struct sweep *sweep, uint32_t isr, uint32_t ist)
{
    sweep->runs++;
    if (isr < sweep->isr_least)
        sweep->isr_least = isr;
    if (ist < sweep->ist_least)
        sweep->ist_least = ist;
    if (isr > sweep->isr_most)
        sweep->isr_most = isr, sweep->isr_where = isr_interrupted;
    if (ist > sweep->ist_most)
        sweep->ist_most = ist, sweep->ist_where = isr_interrupted;
    bool closed = (isr_gate & ~GATE_OPEN) > 1; // the ISR itself has closed it once
    sweep->closed = closed ? sweep->closed + 1 : 0;
    if (sweep->closed > sweep->closed_most)
        sweep->closed_most = sweep->closed, sweep->closed_where = isr_interrupted;
}

// One run: the interrupt becomes due `instant` instructions after the earliest possible one.
static uint32_t sweep_once(struct sweep *sweep, const struct sweep_call *call, uint32_t instant, uint32_t tick_lead)
{
    if (call->prepare != NULL)
        call->prepare();
    if (tick_lead != 0)
        clock_restart(tick_lead);
    uint32_t before = answers;
    uint32_t due = stimulus_arm(UNITS_FIRST + instant / UNIT_INSTRUCTIONS);
    stimulus_padding(UNIT_INSTRUCTIONS - 1 - instant % UNIT_INSTRUCTIONS);
    uint32_t from = stamp();
    call->run();
    uint32_t to = stamp();
    for (unsigned i = 0; i < LENGTH_MAX && answers == before; i++)
        ;
    if (answers == before + 1)
        sweep_add(sweep, isr_at - due, ist_at - due);
    else
        sweep->lost++;
    if (call->restore != NULL)
        call->restore();
    return to - from;
}

void sweep_call(struct sweep *sweep, const struct sweep_call *call, uint32_t tick_lead)
{
    struct sweep unused = SWEEP_NEW;
    uint32_t length = call->instants;
    if (length == 0) // as long as it takes, with the interrupt in it, and some more
        length = sweep_once(&unused, call, 0, tick_lead) + 4 * UNIT_INSTRUCTIONS;
    if (length > LENGTH_MAX)
        NKDbgPrintfW("sweep %s: only the first %u of %u instants\n", call->name, LENGTH_MAX, length);
    sweep->closed = 0;
    for (uint32_t instant = 0; instant < length && instant < LENGTH_MAX; instant++)
        sweep_once(sweep, call, instant, tick_lead);
}

void sweep_closed(uint32_t *isr_exit, uint32_t *schedule)
{
    SleepTillTick(); // woken, this thread floats, and must enter the queue when the other is woken: the longer way
    kernel_enter();
    trigger(VECTOR_LINE_7);
    uint32_t back = stamp();
    kernel_leave();
    *isr_exit = back - (isr_at + SWEEP_ISR_LENGTH);
    *schedule = ist_at - back;
}

void sweep_print(const struct sweep *sweep, const char *name)
{
    NKDbgPrintfW("sweep %s instants %u lost %u isr %u to %u at %s ist %u to %u at %s closed %u at %s\n", name,
                 sweep->runs, sweep->lost, sweep->isr_least, sweep->isr_most, symbol_name(sweep->isr_where, NULL),
                 sweep->ist_least, sweep->ist_most, symbol_name(sweep->ist_where, NULL), sweep->closed_most,
                 symbol_name(sweep->closed_where, NULL));
}

static HANDLE ist;

bool sweep_init(void)
{
    if (!stimulus_init()) {
        NKDbgPrintfW("SKIP sweep: this machine has no HPET with a period of 10 ns\n");
        return false;
    }
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_SWEEP, event, NULL, 0);
    HookInterrupt(PARALLEL_1_IRQ, sweep_isr);
    ist = figure_thread(ist_main, IST_PRIORITY);
    sweep_calls_init();
    return true;
}

// The threads of the calls stay: the machine has no more to do than to print.
void sweep_end(void)
{
    HookInterrupt(PARALLEL_1_IRQ, NULL);
    InterruptDisable(SYSINTR_SWEEP);
    SuspendThread(ist);
}
