// SPDX-License-Identifier: MIT OR Apache-2.0
// Functions that the files of the Windows port share.
#ifndef BACKWALL_PORT_WINDOWS_H
#define BACKWALL_PORT_WINDOWS_H

#include "port.h"

#include <windows.h>

// The version of Wine, whose figures are not those of Windows; NULL on Windows.
const char *windows_wine(void);
// Why the last call failed, in one line that begins with what was refused. There is only one buffer for this line.
const char *windows_refusal(const char *what);
// CPU time of a thread or process, from its kernel and user times of 100 ns.
uint64_t windows_cpu_ns(FILETIME kernel, FILETIME user);
// The level of a thread in the real-time class, for a priority on the probe's scale.
int windows_level(unsigned priority);

#endif
