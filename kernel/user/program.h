// SPDX-License-Identifier: MIT OR Apache-2.0
// For programs in user mode: a program includes this file, defines program_main, and is linked with user/.
#ifndef DETENT_USER_PROGRAM_H
#define DETENT_USER_PROGRAM_H

#include "detent.h"
#include "user_inline.h"

DWORD program_main(LPCTSTR command); // runs as the process's first thread; its result is the process's exit code

uint64_t system_call_any(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

#endif
