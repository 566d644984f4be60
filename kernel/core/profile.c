// SPDX-License-Identifier: MIT OR Apache-2.0
// What differs between the CE versions, as fields that are set before the first thread runs.
#include "core.h"

struct profile profile = {
    .name = "detent",
    .tick_ms = 1,
    .priority_levels = PRIORITY_LEVELS,
    .quantum_ms = 100,
    .nesting = true,
    .split_calls = true,
};

uint32_t profile_old_level(uint32_t old_level) { return PRIORITY_LEVELS - 8 + old_level; }

// With 8 levels, all above the old ones fall together on the highest of them.
uint32_t profile_priority(uint32_t priority)
{
    uint32_t highest = PRIORITY_LEVELS - profile.priority_levels;
    return priority < highest ? highest : priority;
}
