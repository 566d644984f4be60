// SPDX-License-Identifier: MIT OR Apache-2.0
// Interlocked operations: one instruction each, found in port.h.
#include "port.h"

LONG InterlockedIncrement(volatile LONG *value)
{
    return interlocked_add(value, 1) + 1;
}
LONG InterlockedDecrement(volatile LONG *value)
{
    return interlocked_add(value, -1) - 1;
}
LONG InterlockedExchangeAdd(volatile LONG *target, LONG value)
{
    return interlocked_add(target, value);
}

LONG InterlockedExchange(volatile LONG *target, LONG value)
{
    LONG earlier = *target;
    for (LONG seen; (seen = interlocked_compare_exchange(target, value, earlier)) != earlier;) // until not disturbed
        earlier = seen;
    return earlier;
}

// The order of arguments in CE; Windows has another for the same operation.
LONG InterlockedTestExchange(volatile LONG *target, LONG old_value, LONG new_value)
{
    return interlocked_compare_exchange(target, new_value, old_value);
}

LONG InterlockedCompareExchange(volatile LONG *target, LONG new_value, LONG old_value)
{
    return interlocked_compare_exchange(target, new_value, old_value);
}
