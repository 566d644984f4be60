// SPDX-License-Identifier: MIT OR Apache-2.0
// A driver in user mode: waits for an interrupt's event, and then reports the counter's value as the data of a named
// event. The command line is the SYSINTR, in two digits.
#include "user/program.h"

#define PRIORITY_IST 10

DWORD program_main(LPCTSTR command)
{
    DWORD sysintr = (DWORD)(command[0] - '0') * 10 + (DWORD)(command[1] - '0');
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL), ran = CreateEvent(NULL, FALSE, FALSE, "ist-ran");
    CeSetThreadPriority(GetCurrentThread(), PRIORITY_IST);
    if (!InterruptInitialize(sysintr, event, NULL, 0))
        return 1;
    SetEvent(ran);
    for (;;) {
        WaitForSingleObject(event, INFINITE);
        uint32_t at = stamp();
        InterruptDone(sysintr);
        SetEventData(ran, at);
        SetEvent(ran);
    }
}
