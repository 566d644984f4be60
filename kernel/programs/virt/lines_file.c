// SPDX-License-Identifier: MIT OR Apache-2.0
// See lines_file.h. The board has only one serial port, the console, so there is no such file.
#include "programs/lines_file.h"

#include "detent.h"

bool lines_file_open(const char *name)
{
    NKDbgPrintfW("-o %s: this machine has no second serial port\n", name);
    return false;
}

void lines_file_put(const char *text)
{
    (void)text;
}
