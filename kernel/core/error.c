// SPDX-License-Identifier: MIT OR Apache-2.0
// See error.h.
#include "core/error.h"

#include "core/ready.h"

bool thread_error(DWORD error)
{
    kernel.current->last_error = error;
    return false;
}

DWORD GetLastError(void)
{
    return kernel.current->last_error;
}

void SetLastError(DWORD error)
{
    kernel.current->last_error = error;
}
