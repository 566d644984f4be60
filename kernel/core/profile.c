// SPDX-License-Identifier: MIT OR Apache-2.0
// The profiles: what differs between the CE versions. Fields are set before the first thread runs.
#include "core/profile.h"

#include "core/names.h"
#include "limits.h"
#include "oem.h"

#include <stddef.h>

// The papers document these differences. "Done at tick" is our interpretation of the single interrupt per tick that CE 2.12
// handled on its 50 ms board. The quantum of CE 2.12 is its tick.
const struct profile profiles[] = {
    {.name = "detent",
     .tick_ms = 1,
     .priority_levels = PRIORITY_LEVELS,
     .quantum_ms = 100,
     .nesting = true,
     .split_calls = true},
    {.name = "ce2.12",
     .tick_ms = 50,
     .priority_levels = 8,
     .quantum_ms = 50,
     .inheritance_chain = true,
     .done_at_tick = true,
     .timer = TIMER_PREEMPT,
     .idle = 1,
     .wait_multiple_interrupt = true,
     .time_critical_completes = true},
    {.name = "ce3.0",
     .tick_ms = 1,
     .priority_levels = PRIORITY_LEVELS,
     .quantum_ms = 100,
     .nesting = true,
     .split_calls = true,
     .timer = TIMER_PREEMPT},
    {.name = "ce.net",
     .tick_ms = 1,
     .priority_levels = PRIORITY_LEVELS,
     .quantum_ms = 100,
     .nesting = true,
     .split_calls = true,
     .new_thread_quantum_defect = true,
     .timer = TIMER_RESCHED},
    {.name = NULL},
};

struct profile profile = {
    .name = "detent",
    .tick_ms = 1,
    .priority_levels = PRIORITY_LEVELS,
    .quantum_ms = 100,
    .nesting = true,
    .split_calls = true,
};

bool profile_choose(const char *name)
{
    for (const struct profile *p = profiles; p->name != NULL; p++) {
        if (!names_equal(p->name, name))
            continue;
        profile = *p;
        return true;
    }
    return false;
}

uint32_t profile_old_level(uint32_t old_level)
{
    return PRIORITY_LEVELS - 8 + old_level;
}

// With 8 levels, every priority above the eight old levels becomes the highest of these levels.
uint32_t profile_priority(uint32_t priority)
{
    uint32_t highest = PRIORITY_LEVELS - profile.priority_levels;
    return priority < highest ? highest : priority;
}
