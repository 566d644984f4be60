// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts and ends processes in every way, and checks that no page, object or table entry is left over.
#include "process/processes.h"
#include "process/registry.h"
#include "process/frames.h"
#include "programs/processes/processes.h"
#include "programs/text.h"

#define PROCESSES_USUAL 10000

// A process that ends by returning.
static bool end_by_return(void)
{
    DWORD exit_code = 0;
    return process_finish("breaks", "", &exit_code) && exit_code == 1;
}

static bool end_started(const char *command, bool suspended, DWORD run_ms)
{
    struct process *process = process_create("threads", command, PROGRAMS_PRIORITY, suspended);
    if (process == NULL)
        return false;
    if (!suspended)
        Sleep(run_ms);
    process_end(process, 5);
    bool ended = WaitForSingleObject(process->ended, 0) == WAIT_OBJECT_0 && process->exit_code == 5;
    process_close(process);
    return ended;
}

// A process that is ended before its first instruction.
static bool end_before_start(void)
{
    return end_started("waits", true, 0);
}

// A process that is ended while three threads wait for an event.
static bool end_waiting(void)
{
    return end_started("waits", false, 1);
}

int process_churn_run(int count, char **arguments)
{
    static bool (*const ways[])(void) = {end_by_return, end_before_start, end_waiting};
    uint32_t wanted = PROCESSES_USUAL, made = 0;
    if ((count > 1 && !text_number(arguments[1], &wanted)) || !processes_ready())
        return 2;
    uint32_t free = frames_free();
    while (made < wanted && ways[made % (sizeof ways / sizeof ways[0])]())
        made++;
    NKDbgPrintfW("churn: %u processes made and ended of %u, pages %u of %u free\n", made, wanted, frames_free(), free);
    return made != wanted || frames_free() != free;
}
