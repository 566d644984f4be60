// SPDX-License-Identifier: MIT OR Apache-2.0
// The exhaustive sweep: for every call, and for every instruction of it, one run in which an interrupt
// becomes due at that instruction. The ISR's delay beyond its least is the rest of a masked stretch, the
// interrupt thread's the rest of a stretch without preemption; the largest over all instants is exact.
//
// The stimulus is the HPET's first timer (IA-PC HPET specification 1.0a, 2.3), which counts tens of virtual
// nanoseconds: ten steps of padding before the call reach the instants between.
#include "programs/figures.h"
#include "programs/sweep_calls.h"
#include "x86/lines.h"

#define HPET 0xFED00000ull
#define HPET_PERIOD 0x04 // femtoseconds; also tells whether there is one
#define HPET_CONFIGURATION 0x10
#define HPET_COUNTER 0xF0
#define HPET_TIMER 0x100
#define HPET_COMPARATOR 0x108
#define TIMER_ENABLED 0x04
#define TIMER_32_BIT 0x100
#define TIMER_ROUTE_SHIFT 9
#define HPET_INPUT 2 // of the I/O APIC, and shared with the old timer, which is stopped
#define PIT_COMMAND 0x43
#define PIT_CHANNEL_0 0x40
#define UNIT_INSTRUCTIONS 10
#define UNIT_FEMTOSECONDS 10000000u
#define UNITS_FIRST 6   // the call starts within this many units after arming
#define WRITE_AFTER_STAMP 8 // instructions, in stimulus_arm
#define SWEEP_LENGTH_MAX 6000
#define SYSINTR_SWEEP (SYSINTR_FIRMWARE + 7)
#define IST_PRIORITY 0

static HANDLE event;
static volatile uint32_t isr_at, ist_at, answers;
static volatile uint64_t isr_interrupted;
DWORD sweep_isr(void);

// Stamps first, then notes the interrupted address: above the return address and nine registers.
__asm__(".text\n"
        "sweep_isr:\n\t"
        "rdtsc\n\t"
        "movl %eax, isr_at\n\t"
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

static volatile uint32_t *hpet(unsigned offset) { return (volatile uint32_t *)(HPET + offset); }

static bool stimulus_init(void)
{
    if (*hpet(HPET_PERIOD) != UNIT_FEMTOSECONDS)
        return false;
    out8(PIT_COMMAND, 0x30); // the old timer: one shot, over at once, while its input is masked
    out8(PIT_CHANNEL_0, 1);
    out8(PIT_CHANNEL_0, 0);
    SleepTillTick();
    *hpet(HPET_CONFIGURATION) = 1;
    *hpet(HPET_TIMER) = TIMER_ENABLED | TIMER_32_BIT | HPET_INPUT << TIMER_ROUTE_SHIFT;
    apic_route(HPET_INPUT, VECTOR_LINE_7, false);
    return true;
}

// The comparator is written exactly one unit after the counter is read, so the timer fires units - 1
// units after the write whatever the counter's phase. Returns that instant.
static uint32_t stimulus_arm(uint32_t units)
{
    uint32_t stamped;
    interrupts_mask(); // a tick between reading and writing would miss the instant
    __asm__ volatile("movl (%1), %%ecx\n\t"
                     "addl %3, %%ecx\n\t"
                     "rdtsc\n\t"
                     "nop; nop; nop; nop; nop; nop; nop\n\t"
                     "movl %%ecx, (%2)"
                     : "=&a"(stamped)
                     : "r"(hpet(HPET_COUNTER)), "r"(hpet(HPET_COMPARATOR)), "r"(units)
                     : "rcx", "rdx", "memory");
    interrupts_unmask();
    return stamped + WRITE_AFTER_STAMP + (units - 1) * UNIT_INSTRUCTIONS;
}

static void padding(uint32_t instructions)
{
    static const uint8_t nops_and_return[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xC3};
    ((void (*)(void))(uintptr_t)(nops_and_return + UNIT_INSTRUCTIONS - 1 - instructions))();
}

struct delays {
    uint32_t isr_least, isr_most, ist_least, ist_most;
    uint64_t isr_where, ist_where; // interrupted when it was longest
    uint32_t runs, lost;
};

static void delays_add(struct delays *delays, uint32_t isr, uint32_t ist)
{
    if (isr < delays->isr_least)
        delays->isr_least = isr;
    if (ist < delays->ist_least)
        delays->ist_least = ist;
    if (isr > delays->isr_most)
        delays->isr_most = isr, delays->isr_where = isr_interrupted;
    if (ist > delays->ist_most)
        delays->ist_most = ist, delays->ist_where = isr_interrupted;
    delays->runs++;
}

// One run: the interrupt becomes due `instant` instructions after the earliest possible one.
static uint32_t sweep_once(const struct sweep_call *call, uint32_t instant, struct delays *delays)
{
    if (call->prepare != NULL)
        call->prepare();
    uint32_t before = answers;
    uint32_t due = stimulus_arm(UNITS_FIRST + instant / UNIT_INSTRUCTIONS);
    padding(UNIT_INSTRUCTIONS - 1 - instant % UNIT_INSTRUCTIONS);
    uint32_t from = stamp();
    call->run();
    uint32_t to = stamp();
    for (unsigned i = 0; i < SWEEP_LENGTH_MAX && answers == before; i++)
        ;
    if (answers == before + 1)
        delays_add(delays, isr_at - due, ist_at - due);
    else
        delays->lost++;
    if (call->restore != NULL)
        call->restore();
    return to - from;
}

static void sweep_call(const struct sweep_call *call, struct sweep_result *result)
{
    struct delays delays = {.isr_least = UINT32_MAX, .ist_least = UINT32_MAX};
    uint32_t length = call->instants;
    if (length == 0) // as long as it takes, with the interrupt in it, and some more
        length = sweep_once(call, 0, &delays) + 4 * UNIT_INSTRUCTIONS;
    if (length > SWEEP_LENGTH_MAX)
        NKDbgPrintfW("sweep %s: only the first %u of %u instants\n", call->name, SWEEP_LENGTH_MAX, length);
    for (uint32_t instant = 0; instant < length && instant < SWEEP_LENGTH_MAX; instant++)
        sweep_once(call, instant, &delays);
    uint32_t masked = delays.isr_most - delays.isr_least, held = delays.ist_most - delays.ist_least;
    NKDbgPrintfW("sweep %s instants %u lost %u isr %u to %u masked %u at %s ist %u to %u held %u at %s\n", call->name,
                 delays.runs, delays.lost, delays.isr_least, delays.isr_most, masked,
                 symbol_name(delays.isr_where, NULL), delays.ist_least, delays.ist_most, held,
                 symbol_name(delays.ist_where, NULL));
    if (masked > result->masked)
        result->masked = masked;
    if (held > result->held)
        result->held = held;
}

bool sweep_run(struct sweep_result *result)
{
    *result = (struct sweep_result){0};
    if (!stimulus_init())
        return false;
    event = CreateEvent(NULL, FALSE, FALSE, NULL);
    InterruptInitialize(SYSINTR_SWEEP, event, NULL, 0);
    HookInterrupt(LINES_IRQ, sweep_isr);
    figure_thread(ist_main, IST_PRIORITY);
    sweep_calls_init();
    for (unsigned i = 0; i < sweep_call_count; i++)
        sweep_call(&sweep_calls[i], result);
    HookInterrupt(LINES_IRQ, NULL);
    return true;
}
