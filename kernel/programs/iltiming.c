// SPDX-License-Identifier: MIT OR Apache-2.0
// ILTiming: every t-th tick is also SYSINTR_TIMING. The ISR's latency starts when the tick is due. The interrupt
// thread's latency starts at the end of the ISR. Both are counts of the performance counter.
#include <stdarg.h>

#include "board.h"
#include "programs/iltiming_idle.h"
#include "programs/lines_file.h"
#include "programs/programs.h"
#include "programs/text.h"

#define SAMPLES_MAX 100000
#define AVERAGES_SCALE 10 // for one decimal
#define LINE_CHARS 160    // longest line of a report

struct options {
    uint32_t priority, interval, interrupts, idle; // idle: one bit for each idle thread, from -i1 on
    bool no_idle, all, cache_sync, help;
    const char *file;
};

struct span {
    uint64_t least, most, sum;
};

static volatile uint64_t isr_start, isr_end, due_at;
static volatile uint32_t ticks_since, interval, taken;
static struct sample {
    uint32_t isr, ist, others;
} * samples; // SAMPLES_MAX entries, allocated at the first use

// Called after the tick was counted. If a reschedule is due too, it stays pending.
static DWORD tick_hook(DWORD answer)
{
    if (++ticks_since < interval)
        return answer;
    ticks_since = 0;
    taken++;
    if (answer == SYSINTR_RESCHED)
        pending_add(SYSINTR_RESCHED);
    due_at = clock_tick_due();
    isr_start = clock_tick_seen();
    isr_end = counter_read();
    return SYSINTR_TIMING;
}

static void usage_print(void)
{
    NKDbgPrintfW("usage: iltiming [options]\n"
                 "  -p num    priority of the IST (default 0, highest)\n"
                 "  -ni, -i0  no idle thread\n"
                 "  -i1       one thread that spins (default); several of -i1 to -i5 run side by side\n"
                 "  -i2       one thread that spins in SetThreadPriority(THREAD_PRIORITY_IDLE)\n"
                 "  -i3       two threads alternating SetEvent and WaitForSingleObject, timeout 10 s\n"
                 "  -i4       the same, infinite timeout\n"
                 "  -i5       a process that maps and frees 64 KiB; in the image with processes\n"
                 "  -t num    every num-th tick is a sample (default 5)\n"
                 "  -n num    samples (default 10, at most %u)\n"
                 "  -all      print every sample\n"
                 "  -ncs      no cache flush before each sample\n"
                 "  -o file   write to a file instead of the console; the only one is COM2:\n"
                 "  -h        this text\n",
                 SAMPLES_MAX);
}

static bool number_option(int count, char **arguments, int *i, uint32_t least, uint32_t most, uint32_t *value)
{
    const char *option = arguments[*i];
    if (++*i < count && text_number(arguments[*i], value) && *value >= least && *value <= most)
        return true;
    NKDbgPrintfW("iltiming: %s: want a number from %u to %u\n", option, least, most);
    return false;
}

static bool option_parse(int count, char **arguments, int *i, struct options *options)
{
    const char *option = arguments[*i];
    if (text_equal(option, "-p"))
        return number_option(count, arguments, i, 0, PRIORITY_LEVELS - 1, &options->priority);
    if (text_equal(option, "-t"))
        return number_option(count, arguments, i, 1, 1000000, &options->interval);
    if (text_equal(option, "-n"))
        return number_option(count, arguments, i, 1, SAMPLES_MAX, &options->interrupts);
    if (text_equal(option, "-ni") || text_equal(option, "-i0"))
        options->no_idle = true;
    else if (option[0] == '-' && option[1] == 'i' && option[2] >= '1' && option[2] <= '0' + ILTIMING_IDLE_KINDS
             && option[3] == '\0')
        options->idle |= 1u << (option[2] - '1');
    else if (text_equal(option, "-all"))
        options->all = true;
    else if (text_equal(option, "-ncs"))
        options->cache_sync = false;
    else if (text_equal(option, "-h"))
        options->help = true;
    else if (text_equal(option, "-o") && *i + 1 < count)
        options->file = arguments[++*i];
    else
        return NKDbgPrintfW("iltiming: %s: no such option, or its value is missing; -h lists them\n", option), false;
    return true;
}

static void span_add(struct span *span, uint64_t value)
{
    span->least = value < span->least ? value : span->least;
    span->most = value > span->most ? value : span->most;
    span->sum += value;
}

// Writes a line of the report to the requested file or the console.
static void line(const struct options *options, LPCTSTR format, ...)
{
    char text[LINE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    NKwvsprintfW(text, format, arguments, sizeof text);
    va_end(arguments);
    if (options->file != NULL)
        lines_file_put(text);
    else
        NKDbgPrintfW("%s", text);
}

static void report(const struct options *options)
{
    struct span isr = {.least = UINT64_MAX}, ist = {.least = UINT64_MAX};
    uint32_t others = 0, n = options->interrupts;
    for (uint32_t i = 0; i < n; i++) {
        span_add(&isr, samples[i].isr);
        span_add(&ist, samples[i].ist);
        others += samples[i].others;
        if (options->all)
            line(options, "%6u %10u %10u %6u\n", i, samples[i].isr, samples[i].ist, samples[i].others);
    }
    uint64_t isr_average = isr.sum * AVERAGES_SCALE / n, ist_average = ist.sum * AVERAGES_SCALE / n;
    line(options, "%u samples in counts of the %lu Hz counter; ISR from the tick's instant, IST from the ISR's end\n",
         n, counter_hz);
    line(options, "            ISR starts   IST starts\n");
    line(options, "Minimum   %10lu   %10lu\n", isr.least, ist.least);
    line(options, "Average   %8lu.%lu   %8lu.%lu\n", isr_average / AVERAGES_SCALE, isr_average % AVERAGES_SCALE,
         ist_average / AVERAGES_SCALE, ist_average % AVERAGES_SCALE);
    line(options, "Maximum   %10lu   %10lu\n", isr.most, ist.most);
    line(options, "Samples with another sample's tick before the IST: %u\n", others);
}

static void measure(const struct options *options, HANDLE event)
{
    for (uint32_t i = 0; i < options->interrupts; i++) {
        if (options->cache_sync)
            caches_flush();
        uint32_t before = taken;
        WaitForSingleObject(event, INFINITE);
        uint64_t now = counter_read();
        samples[i].isr = (uint32_t)(isr_start - due_at);
        samples[i].ist = (uint32_t)(now - isr_end);
        samples[i].others = taken - before - 1;
        InterruptDone(SYSINTR_TIMING);
    }
}

// Without an argument about idle threads, the first idle thread runs.
static bool idle_settle(struct options *options)
{
    if (options->no_idle && options->idle) {
        NKDbgPrintfW("iltiming: -ni and -i0 ask for no idle thread, -i1 to -i5 for one; choose\n");
        return false;
    }
    if (!options->no_idle && !options->idle)
        options->idle = 1;
    return true;
}

// Measures with the requested idle threads, and ends them afterwards.
static int run(const struct options *options, HANDLE event)
{
    int earlier_priority = CeGetThreadPriority(GetCurrentThread());
    if (!iltiming_idle_start(options->idle))
        return 1;
    CeSetThreadPriority(GetCurrentThread(), (int)options->priority);
    interval = options->interval;
    ticks_since = 0;
    clock_hook(tick_hook);
    measure(options, event);
    clock_hook(NULL);
    bool idle_ran = iltiming_idle_stop();
    CeSetThreadPriority(GetCurrentThread(), earlier_priority);
    report(options);
    return !idle_ran;
}

int iltiming_run(int count, char **arguments)
{
    struct options options = {.interval = 5, .interrupts = 10, .cache_sync = true};
    for (int i = 1; i < count; i++)
        if (!option_parse(count, arguments, &i, &options))
            return 2;
    if (!idle_settle(&options))
        return 2;
    if (options.help) {
        usage_print();
        return 0;
    }
    if (options.file != NULL && !lines_file_open(options.file))
        return 2;
    if (samples == NULL && (samples = memory_take(SAMPLES_MAX * sizeof *samples)) == NULL) {
        NKDbgPrintfW("iltiming: this machine has no memory for %u samples; give it more\n", SAMPLES_MAX);
        return 1;
    }
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    if (event == NULL || !InterruptInitialize(SYSINTR_TIMING, event, NULL, 0))
        return 1;
    int result = run(&options, event);
    InterruptDisable(SYSINTR_TIMING);
    CloseHandle(event);
    return result;
}
