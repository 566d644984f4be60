// SPDX-License-Identifier: MIT OR Apache-2.0
// See handover.h.
#include "handover.h"

#include "../caches.h"

void handover_begin(struct pair *pair)
{
    pair->entering = 0;
    pair->at = 0;
    if (pair->waker && pair->waker->hold)
        pair->waker->hold(pair->room);
    port_event_set(&pair->go);
}

void handover_sweep(const struct pair *pair)
{
    if (pair->of->place & OPERATION_SWEPT)
        caches_sweep();
}

const char *handover_judge(const struct pair *pair, const char *failure)
{
    if (failure)
        return failure;
    return pair->waited ? NULL : OPERATION_VOID;
}
