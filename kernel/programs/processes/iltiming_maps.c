// SPDX-License-Identifier: MIT OR Apache-2.0
// See iltiming_maps.h. It starts the program maps of the boot module at the lowest priority.
#include "programs/iltiming_maps.h"

#include "process/processes.h"
#include "process/registry.h"
#include "programs/processes/processes.h"

static struct process *maps;

bool iltiming_maps_start(void)
{
    if (!processes_ready())
        return false;
    maps = process_create("maps", "", PRIORITY_LEVELS - 1, false);
    if (maps == NULL)
        NKDbgPrintfW("iltiming: -i5: maps cannot be started, error %u\n", GetLastError());
    return maps != NULL;
}

bool iltiming_maps_stop(void)
{
    bool ran = WaitForSingleObject(maps->ended, 0) == WAIT_TIMEOUT;
    if (ran)
        process_end(maps, 0);
    else
        NKDbgPrintfW("iltiming: -i5: maps ended itself with %u\n", maps->exit_code);
    process_close(maps);
    return ran;
}
