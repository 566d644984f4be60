// SPDX-License-Identifier: MIT OR Apache-2.0
// The probe: measures on the device under test and writes the results as a stream of records to standard output.
//
//   probe measure NAME (--count N | --for-ns N) [--period-ns N] [--warmup N] [--cpu N,N...] [--priority P]
//                      [--deadline-ns N] [--policy fifo|rr|deadline] [--runtime-ns N] [--overrun skip|queue]
//                      [--idle as-is|off] [--best-effort]
//   probe operation TEST --count N [--warmup N] [--cpu N] [--partner-cpu N] [--equal 0|1] [--mark ADDRESS]
//                      [--priority P] [--idle as-is|off] [--best-effort]
//   probe load NAME [--for-ns N] [--cpu N|any] [--copies N] [--priority P [--priority-to P]] [--framebuffer]
//                      [--best-effort]
//   probe tasks        runs the set of tasks on standard input (wire/SET.md)
//   probe list         lists the measures, the series of each, the loads, and the operations, one per line
//
// --count and --for-ns do not include the --warmup releases that come first. A measure without a period ('counted' in
// the list) takes none of --period-ns, --deadline-ns, --runtime-ns and --overrun; --count then applies to each of its
// series. Priorities are the system's real-time ones, 1 to 99; 0 is the ordinary scheduler. A measure is SCHED_FIFO
// unless --policy says otherwise, a load is SCHED_RR. Without --for-ns a load runs until SIGINT, SIGTERM or the end of
// its parent.
//
// Exit codes: 0 done or interrupted, 1 failed, 2 wrong arguments, 4 the machine refuses a setting, 5 it refuses
// real-time priority. With every code but 0 the probe prints one line to standard error. With 2, 4 and 5 standard
// output stays empty.
#include "exit.h"
#include "load.h"
#include "loadrun.h"
#include "measure.h"
#include "plan.h"
#include "port/port.h"
#include "session.h"
#include "tables.h"
#include "tasks/run.h"

#include <string.h>

int main(int argc, char **argv)
{
    struct plan plan;

    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        tables_print();
        return PROBE_EXIT_DONE;
    }
    if (argc == 2 && strcmp(argv[1], "tasks") == 0) {
        port_begin("tasks");
        return run_tasks();
    }
    if (!plan_read(&plan, argc, argv))
        return PROBE_EXIT_USAGE;
    port_begin(plan.load ? plan.load->name : plan.measure->name);
    return plan.load ? loadrun_run(&plan) : session_run(&plan);
}
