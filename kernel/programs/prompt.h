// SPDX-License-Identifier: MIT OR Apache-2.0
// The thread that runs programs: the one of the loader's command line, or those typed at the prompt.
#ifndef DETENT_PROMPT_H
#define DETENT_PROMPT_H

#include "detent.h"

void programs_init(const char *command_line); // reads the settings, before the clock starts
DWORD programs_main(LPVOID unused);           // the main function of the first thread

#endif
