// SPDX-License-Identifier: MIT OR Apache-2.0
// set.h — the set of tasks to run, read from the host and checked.
#ifndef BACKWALL_PROBE_TASKS_SET_H
#define BACKWALL_PROBE_TASKS_SET_H

#include "../../wire/set.h"

struct set {
    struct set_head head;
    struct set_task *tasks;       // head.tasks entries; each name ends with a NUL
    struct set_lock *locks;       // head.locks entries
    struct set_section *sections; // head.sections entries
    struct set_release *releases; // head.releases entries
};

// Reads the whole set. NULL, or one line about what is wrong with it.
const char *set_read(struct set *set);

#endif
