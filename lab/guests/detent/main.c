// SPDX-License-Identifier: MIT OR Apache-2.0
// The programs of the image detent-probe: the probe's measures, the bench's responders, and the probe's loads. The same C code
// runs on Linux. This file reads the words of a command as the Linux guest's main does.
//
//   probe [bench-load=LOADS] measure NAME ...    the stream goes to the instrument's channel
//   probe [bench-load=LOADS] tasks               the boot loader's first file is the set of tasks
//   osbench -all|-t NUM ... [-n NUM] [-m ADDR] [-v]    each row a stream to the channel, or a block on the console
//   sieve [--primes N] [--rounds N]    computing and displaying, apart and together; the stream goes to the channel
//   bench [bench-load=LOADS] [bench-ist-priority=P] [bench-app-priority=P]
#include "../bench/bench.h"
#include "../bench/osbench.h"

#include "../../../probe/exit.h"
#include "../../../probe/measure.h"
#include "../../../probe/plan.h"
#include "../../../probe/port/port.h"
#include "../../../probe/session.h"
#include "../../../probe/tasks/run.h"

#include "board.h"
#include "compute_display.h"
#include "detent.h"
#include "osbench_block.h"
#include "programs/programs.h"

#include <string.h>

// The priority is above the loads, so that the output is written under any load. It is below a measured thread, as on
// Linux.
#define MAIN_PRIORITY 48

#define LOAD_SETTLE_NS 200000000u

int probe_run(int count, char **words);
int bench_run(int count, char **words);
int osbench_main(int count, char **words);
int sieve_main(int count, char **words);

const struct program programs[] = {
    {"bench", "[bench-...] answers line 7 in its ISR, its thread and an application", bench_run},
    {"osbench", "-h lists its options: what the kernel's operations cost, as the 2002 tool measured it", osbench_main},
    {"probe", "[bench-load=...] measure NAME ... | tasks: the probe, as on Linux", probe_run},
    {"sieve", "[--primes N] [--rounds N]: does computing and displaying cost more than its parts", sieve_main},
};
const size_t programs_count = sizeof programs / sizeof programs[0];

// Reads the options of the lab. Returns the number of words read, the program's name included.
static int main_begin(int count, char **words, struct options *options)
{
    int taken = 1;

    *options = OPTIONS_USUAL;
    lines_open();
    while (taken < count && options_take(options, words[taken]))
        taken++;
    if (options->trace_ms)
        boot_fail("bench-trace", "Detent has its trail: trail=all before the program's name");
    NKDbgPrintfW("bench: load %s\n", options->load);
    return taken;
}

static void main_load(const struct options *options)
{
    const char *refusal = port_thread_realtime(MAIN_PRIORITY, PORT_FIFO);

    if (refusal)
        boot_fail("main thread", refusal);
    background_start(options->load);
    port_sleep_ns(LOAD_SETTLE_NS);
}

int bench_run(int count, char **words)
{
    struct options options;
    int taken = main_begin(count, words, &options);

    if (taken < count)
        boot_fail(words[taken], "unknown option; want words that begin with bench-");
    main_load(&options);
    respond_start(&options.respond);
    Sleep(INFINITE);
    return 0;
}

// plan_read gets the words as in a process: its own name first.
int probe_run(int count, char **words)
{
    struct options options;
    struct plan plan;
    int taken = main_begin(count, words, &options) - 1;

    words[taken] = words[0];
    if (count - taken == 2 && strcmp(words[taken + 1], "tasks") == 0) {
        main_load(&options);
        port_begin("tasks");
        port_exit(run_tasks());
    }
    if (!plan_read(&plan, count - taken, words + taken))
        port_exit(PROBE_EXIT_USAGE);
    if (!plan.measure)
        boot_fail("load", "a load runs beside a measure here: load = \"NAME\" in the scenario");
    main_load(&options);
    port_begin(plan.measure->name);
    port_exit(session_run(&plan));
}

static bool host_listens(void)
{
    return connector_in(CONNECTOR_CHANNEL_PORT) == CONNECTOR_PRESENT;
}

const char *system_lacks(const struct operation *of)
{
    if (of->place & OPERATION_ACROSS)
        return "this image has no second process";
    return of->place & OPERATION_ORDINARY ? "Detent has one scheduler" : NULL;
}

bool system_measure(const struct osbench *asked, const struct operation *of, const struct plan *plan)
{
    return host_listens() ? session_run(plan) == PROBE_EXIT_DONE : osbench_block(asked, of, plan);
}

// In the lab, this ends the run; at the prompt, it does nothing.
int osbench_main(int count, char **words)
{
    struct options options;
    struct osbench asked;
    int taken = main_begin(count, words, &options) - 1;

    if (!osbench_read(&asked, count - taken, words + taken))
        return PROBE_EXIT_USAGE;
    main_load(&options);
    bool good = osbench_run(&asked);

    if (host_listens())
        port_exit(good ? PROBE_EXIT_DONE : PROBE_EXIT_FAILED);
    return good && asked.failed == 0 ? PROBE_EXIT_DONE : PROBE_EXIT_FAILED;
}

int sieve_main(int count, char **words)
{
    struct options options;
    struct compute_display asked;
    struct plan plan;
    int taken = main_begin(count, words, &options) - 1;

    if (!compute_display_read(&asked, count - taken, words + taken) || !compute_display_plan(&asked, &plan))
        return PROBE_EXIT_USAGE;
    main_load(&options);
    port_exit(session_run(&plan));
}
