// SPDX-License-Identifier: MIT OR Apache-2.0
// Says how it was called; its exit code is how long that is.
#include "user/program.h"

DWORD program_main(LPCTSTR command)
{
    DWORD length = 0;
    while (command[length] != '\0')
        length++;
    NKDbgPrintfW("hello from process %u: '%s'\n", GetCurrentProcessId(), command);
    return length;
}
