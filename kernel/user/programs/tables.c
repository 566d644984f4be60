// SPDX-License-Identifier: MIT OR Apache-2.0
// A process with many page tables, until it is ended. It maps pages that each need a table of their own; the command line is
// their number, in two digits.
#include "process/layout.h"
#include "user/program.h"

#define TABLE_BYTES 0x200000ull // address range that one table maps

DWORD program_main(LPCTSTR command)
{
    HANDLE made = CreateEvent(NULL, FALSE, FALSE, "tables-made");
    unsigned wanted = (unsigned)(command[0] - '0') * 10 + (unsigned)(command[1] - '0'), count = 0;
    while (count < wanted
           && VirtualAlloc((LPVOID)(USER_VIRTUAL + count * TABLE_BYTES), 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)
                  != NULL)
        count++;
    SetEventData(made, count);
    SetEvent(made);
    Sleep(INFINITE);
    return 0;
}
