// SPDX-License-Identifier: MIT OR Apache-2.0
// Processes make random system calls while an interrupt comes a thousand times a second. The interrupt's thread must
// answer every interrupt. A process that has made no call for a while may wait for ever, so this program ends it. It
// starts a new process for each process that has ended.
#include "process/processes.h"
#include "process/registry.h"
#include "process/frames.h"

#include "board.h"
#include "core/irq.h"
#include "programs/processes/processes.h"
#include "programs/stimulus.h"
#include "programs/text.h"

#define FUZZERS 3
#define CALLS_USUAL 200000
#define SYSINTR_BESIDE (SYSINTR_FIRMWARE + LINE_1)
#define PERIOD_UNITS 100000 // 1 ms
#define PRIORITY_BESIDE 5
#define PRIORITY_SUPERVISOR 10
#define PRIORITY_FUZZERS 100
#define STUCK_MS 20
// The SYSINTRs that the processes share: four without a line, and that of line 2, whose controller input belongs to the timer.
#define SYSINTRS_PERMITTED (0xFull << 44 | 1ull << (SYSINTR_FIRMWARE + 2))
#define DUE_PERCENT 90   // share of the interrupts that must come: a late ISR requests the next interrupt later
#define STOPPED_AFTER 20 // the interrupts stop after this many, to test this program itself

static struct fuzzer {
    struct process *process;
    HANDLE counted;
    uint32_t calls, quiet_ms;
} fuzzers[FUZZERS];

static uint32_t seed, ended_here, ended_there;
static uint64_t calls_all;
static volatile uint32_t asked, answered;
static volatile uint32_t asked_most; // number of interrupts to request
static volatile bool over;
static HANDLE beside;

static DWORD isr_again(void)
{
    if (over)
        return SYSINTR_NOP;
    if (++asked < asked_most)
        stimulus_arm(PERIOD_UNITS);
    return SYSINTR_BESIDE;
}

static DWORD beside_main(LPVOID unused)
{
    (void)unused;
    while (!over && WaitForSingleObject(beside, INFINITE) == WAIT_OBJECT_0) {
        answered++;
        InterruptDone(SYSINTR_BESIDE);
    }
    return 0;
}

static void text_of(char *text, char letter, uint32_t number)
{
    char digits[10];
    unsigned count = 0;
    *text++ = letter;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
        *text++ = digits[--count];
    *text = '\0';
}

static bool fuzzer_start(struct fuzzer *fuzzer)
{
    char command[PROCESS_COMMAND_CHARS];
    text_of(command, (char)('0' + (fuzzer - fuzzers)), ++seed);
    SetEventData(fuzzer->counted, 0);
    fuzzer->calls = fuzzer->quiet_ms = 0;
    fuzzer->process = process_begin("fuzz", command, SYSINTRS_PERMITTED);
    return fuzzer->process != NULL;
}

static void fuzzer_end(struct fuzzer *fuzzer)
{
    calls_all += GetEventData(fuzzer->counted);
    process_end(fuzzer->process, 0);
    process_close(fuzzer->process);
}

// If the process has ended or is stuck, replaces it by a new one. False if that cannot be started.
static bool fuzzer_look(struct fuzzer *fuzzer)
{
    uint32_t calls = GetEventData(fuzzer->counted);
    bool ended = process_has_ended(fuzzer->process);
    fuzzer->quiet_ms = calls == fuzzer->calls ? fuzzer->quiet_ms + 1 : 0;
    fuzzer->calls = calls;
    if (!ended && fuzzer->quiet_ms < STUCK_MS)
        return true;
    ended ? ended_there++ : ended_here++;
    fuzzer_end(fuzzer);
    return fuzzer_start(fuzzer);
}

static bool fuzz(uint32_t calls_wanted)
{
    bool good = true;
    for (unsigned i = 0; i < FUZZERS; i++) {
        char name[] = "fuzz-0";
        name[5] = (char)('0' + i);
        fuzzers[i].counted = CreateEvent(NULL, FALSE, FALSE, name);
        good &= fuzzer_start(&fuzzers[i]);
    }
    uint64_t running = 0;
    while (good && calls_all + running < calls_wanted) {
        SleepTillTick();
        running = 0;
        for (unsigned i = 0; i < FUZZERS && good; i++) {
            good = fuzzer_look(&fuzzers[i]);
            running += fuzzers[i].calls;
        }
    }
    for (unsigned i = 0; i < FUZZERS; i++) {
        if (fuzzers[i].process != NULL)
            fuzzer_end(&fuzzers[i]);
        CloseHandle(fuzzers[i].counted);
    }
    return good;
}

// True if all due interrupts have come and were answered.
static bool beside_is_whole(uint32_t elapsed_ms)
{
    uint32_t coalesced = irqs[SYSINTR_BESIDE].coalesced;
    bool came = (uint64_t)asked * 100 >= (uint64_t)elapsed_ms * DUE_PERCENT;
    NKDbgPrintfW("fuzz: interrupts %u in %u ms, answered %u, coalesced %u%s\n", asked, elapsed_ms, answered, coalesced,
                 came ? "" : ": those that were due did not come");
    return came && asked == answered && coalesced == 0;
}

// Arguments: [CALLS [stops]]. With `stops` the interrupt stops, so this program must fail.
static bool words_read(int count, char **arguments, uint32_t *calls_wanted)
{
    asked_most = UINT32_MAX;
    if (count > 1 && !text_number(arguments[1], calls_wanted))
        return false;
    if (count > 2 && text_equal(arguments[2], "stops"))
        asked_most = STOPPED_AFTER;
    return count <= 2 || asked_most == STOPPED_AFTER;
}

int process_fuzz_run(int count, char **arguments)
{
    uint32_t calls_wanted = CALLS_USUAL;
    if (!words_read(count, arguments, &calls_wanted) || !processes_ready() || !stimulus_init())
        return 2;
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_SUPERVISOR);
    uint32_t free = frames_free();
    beside = CreateEvent(NULL, FALSE, FALSE, NULL);
    if (!InterruptInitialize(SYSINTR_BESIDE, beside, NULL, 0) || !HookInterrupt(LINE_1, isr_again))
        return 1;
    CeSetThreadPriority(CreateThread(NULL, 0, beside_main, NULL, 0, NULL), PRIORITY_BESIDE);
    stimulus_arm(PERIOD_UNITS);
    uint32_t from_ms = GetTickCount();
    bool good = fuzz(calls_wanted);
    uint32_t elapsed_ms = GetTickCount() - from_ms;
    over = true;
    HookInterrupt(LINE_1, NULL);
    NKDbgPrintfW("fuzz: %llu calls by %u processes, %u ended there and %u here; pages %u of %u free\n",
                 (unsigned long long)calls_all, seed, ended_there, ended_here, frames_free(), free);
    return !(beside_is_whole(elapsed_ms) && good && frames_free() == free);
}
