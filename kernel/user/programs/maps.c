// SPDX-License-Identifier: MIT OR Apache-2.0
// ILTiming's idle thread 5: maps 64 KiB, touches each page and frees the memory, again and again, until it is ended. If
// it gets no memory, it prints what failed and ends itself.
#include "user/program.h"

#define MAP_BYTES 65536u
#define PAGE 4096u

DWORD program_main(LPCTSTR command)
{
    (void)command;
    for (;;) {
        volatile char *memory = VirtualAlloc(NULL, MAP_BYTES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
        if (memory == NULL)
            return GetLastError();
        for (DWORD i = 0; i < MAP_BYTES; i += PAGE)
            memory[i] = 1;
        VirtualFree((LPVOID)memory, 0, MEM_RELEASE);
    }
}
