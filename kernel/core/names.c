// SPDX-License-Identifier: MIT OR Apache-2.0
// See names.h.
#include "core/names.h"

#include "limits.h"

bool names_equal(const char *a, const char *b)
{
    for (unsigned i = 0; i < NAME_CHARS_MAX; i++) {
        if (a[i] != b[i])
            return false;
        if (a[i] == '\0')
            return true;
    }
    return false;
}
