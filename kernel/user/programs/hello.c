// SPDX-License-Identifier: MIT OR Apache-2.0
// Prints its command line; its exit code is the length of that line.
#include "user/program.h"

DWORD program_main(LPCTSTR command)
{
    DWORD length = 0;
    while (command[length] != '\0')
        length++;
    NKDbgPrintfW("hello from process %u: '%s'\n", GetCurrentProcessId(), command);
    return length;
}
