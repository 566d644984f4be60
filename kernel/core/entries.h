// SPDX-License-Identifier: MIT OR Apache-2.0
// Entries of the thread table, which are made when they are first needed.
#ifndef DETENT_ENTRIES_H
#define DETENT_ENTRIES_H

#include <stdbool.h>

void thread_init(void);
bool thread_more(void); // gate open: adds a free entry; false if there is no memory, or the table is full

#endif
