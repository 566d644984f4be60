// SPDX-License-Identifier: MIT OR Apache-2.0
// Spins in user mode whenever no other thread runs. With an argument, each tick wakes it and it spins for half of the tick.
#include "user/program.h"

#define PRIORITY_SPINS 30
#define SPINS 100000

DWORD program_main(LPCTSTR command)
{
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_SPINS);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    for (;;) {
        command[0] == '\0' ? Sleep(0) : SleepTillTick();
        for (volatile unsigned i = 0; i < SPINS; i++)
            ;
    }
}
