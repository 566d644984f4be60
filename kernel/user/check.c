// SPDX-License-Identifier: MIT OR Apache-2.0
// See check.h.
#include "user/check.h"

static DWORD failed;

void check(bool ok, const char *sentence)
{
    NKDbgPrintfW("%s %s\n", ok ? "PASS" : "FAIL", sentence);
    failed += !ok;
}

DWORD checks_failed(void)
{
    return failed;
}

bool word_is(LPCTSTR text, LPCTSTR word)
{
    while (*text == *word && *text != '\0')
        text++, word++;
    return *text == *word;
}

bool child_start(LPCTSTR program, LPCTSTR command, PROCESS_INFORMATION *child)
{
    return CreateProcess(program, command, NULL, NULL, FALSE, 0, NULL, NULL, NULL, child);
}

DWORD child_join(const PROCESS_INFORMATION *child)
{
    DWORD exit_code = STILL_ACTIVE;
    WaitForSingleObject(child->hProcess, INFINITE);
    GetExitCodeProcess(child->hProcess, &exit_code);
    CloseHandle(child->hProcess);
    CloseHandle(child->hThread);
    return exit_code;
}
