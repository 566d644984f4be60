// SPDX-License-Identifier: MIT OR Apache-2.0
// See user.h. Each function first checks that the address is in the user's half; the copy finds out whether it is mapped.
#include "process/user.h"

bool user_read(void *to, uint64_t from, size_t bytes)
{
    return user_holds(from, bytes) && user_copy_in(to, (const void *)from, bytes);
}

bool user_write(uint64_t to, const void *from, size_t bytes)
{
    return user_holds(to, bytes) && user_copy_out((void *)to, from, bytes);
}

bool user_can_take(uint64_t to, size_t bytes)
{
    return (to & (bytes - 1)) == 0 && user_holds(to, bytes) && user_touch((void *)to);
}

bool user_exchange(uint64_t at, uint32_t *expected, uint32_t value)
{
    return at % sizeof value == 0 && user_holds(at, sizeof value)
           && user_compare_exchange((uint32_t *)at, expected, value);
}
