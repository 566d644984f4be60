/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger: records when the guest executed heavy instructions and when it read its time stamp counter. From this it
 * counts the heavy instructions between two of the guest's instants. The ledger does not depend on the emulator.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "heavy.h"

/* Number of entries; older ones are overwritten, and a count that would need them is refused. */
enum { LEDGER_EVENTS = 1 << 18, LEDGER_STAMPS = 1 << 14 };

/* `number`: the instruction's number among all executed ones, from 0. It never decreases from call to call. */
void ledger_event(enum heavy kind, uint64_t number);
/* Instruction `number` was an rdtsc, and the low half of its result is `instant`. */
void ledger_stamp(uint32_t instant, uint64_t number);

/*
 * Counts the heavy instructions from instant `from` up to but not including `to`. Instants are low halves of the counter, which
 * counts instructions. The guest must have read the counter near these instants. Returns false if it has not, or if needed
 * entries have been overwritten.
 */
bool ledger_count(uint32_t from, uint32_t to, uint32_t counts[HEAVY_KINDS]);

/* The counts as text, `cr3=0,msr=0,…`; `unknown` if ledger_count refuses. */
enum { LEDGER_TEXT_CHARS = 256 };
void ledger_text(uint32_t from, uint32_t to, char text[LEDGER_TEXT_CHARS]);

#endif
