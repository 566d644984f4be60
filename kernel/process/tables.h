// SPDX-License-Identifier: MIT OR Apache-2.0
// The pool of page tables. CE .NET has one for x86, with a size from an OEM variable. A table must contain zeros before another
// process or address range gets it; in CE .NET, clearing it delays interrupt threads. Here the pool's free tables already contain
// zeros, because the code that frees a table checks each of its entries anyway. Beyond the pool, a table is an ordinary page; the
// thread that takes it clears it with the gate open. Call these with the lock on all processes held.
#ifndef DETENT_PROCESS_TABLES_H
#define DETENT_PROCESS_TABLES_H

#include "detent.h"

// Number of pages in the pool, PAGE_TABLES_LEAST to PAGE_TABLES_MOST (limits.h). tables_start reads it once.
extern DWORD dwOEMPTPoolSize;
// If true, a table from outside the pool is zeroed with the gate closed, as in CE .NET, so that a program can measure
// the cost. False at the start.
extern bool tables_zero_held;
extern uint32_t tables_of_pool, tables_zeroed; // tables in use, from the pool and beyond it

bool tables_start(void);          // false if the size is out of bounds, or there is no memory
uint64_t *table_take(void);       // filled with zeros; NULL if there is none
void table_give(uint64_t *table); // the table must contain zeros only
uint32_t tables_free(void);       // free tables of the pool

#endif
