// SPDX-License-Identifier: MIT OR Apache-2.0
// exit.c: a refusal by the machine has one code, or that of a missing right. The texts are compared, not their places: that of
// a second process is a copy.
#include "exit.h"

#include "port/port.h"

#include <string.h>

enum probe_exit exit_of_refusal(const char *refusal)
{
    return strcmp(refusal, PORT_REALTIME_REFUSED) == 0 ? PROBE_EXIT_RIGHT : PROBE_EXIT_MACHINE;
}
