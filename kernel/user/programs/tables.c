// SPDX-License-Identifier: MIT OR Apache-2.0
// Keeps many page tables in use until the process is ended: maps pages, each of which needs a page table of its own.
// The command line is the number of pages, in two digits.
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
