// SPDX-License-Identifier: MIT OR Apache-2.0
// The interlocked functions of detent.h, from the atomic operations of port.h.
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
    for (LONG seen; (seen = interlocked_compare_exchange(target, value, earlier)) != earlier;) // retries after a race
        earlier = seen;
    return earlier;
}

// The order of arguments is that of CE. Windows has another order.
LONG InterlockedTestExchange(volatile LONG *target, LONG old_value, LONG new_value)
{
    return interlocked_compare_exchange(target, new_value, old_value);
}

LONG InterlockedCompareExchange(volatile LONG *target, LONG new_value, LONG old_value)
{
    return interlocked_compare_exchange(target, new_value, old_value);
}
