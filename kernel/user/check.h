// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks in user mode: prints PASS or FAIL for each, and counts those that failed.
#ifndef DETENT_USER_CHECK_H
#define DETENT_USER_CHECK_H

#include "user/program.h"

void check(bool ok, const char *sentence);
DWORD checks_failed(void);
// Checks the call's result and the error that it sets.
#define REFUSED(call, value, error) (SetLastError(ERROR_SUCCESS), (call) == (value) && GetLastError() == (error))
bool word_is(LPCTSTR text, LPCTSTR word); // whether text equals word
bool child_start(LPCTSTR program, LPCTSTR command, PROCESS_INFORMATION *child);
DWORD child_join(const PROCESS_INFORMATION *child); // waits for it, returns its exit code and closes its handles

#endif
