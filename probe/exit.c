// SPDX-License-Identifier: MIT OR Apache-2.0
// The exit code for a refusal by the machine; a missing right has a code of its own. The function compares the texts
// and not their addresses, because a text from a second process is a copy.
#include "exit.h"

#include "port/port.h"

#include <string.h>

enum probe_exit exit_of_refusal(const char *refusal)
{
    return strcmp(refusal, PORT_REALTIME_REFUSED) == 0 ? PROBE_EXIT_RIGHT : PROBE_EXIT_MACHINE;
}
