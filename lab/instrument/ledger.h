/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger: heavy instructions by when they were executed, and the guest's readings of its time stamp counter, so
 * that the heavy ones between two of the guest's own instants can be counted afterwards. Pure: knows no emulator.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "heavy.h"

/* How much is remembered; older entries are overwritten, and counts that would need them are refused. */
enum { LEDGER_EVENTS = 1 << 18, LEDGER_STAMPS = 1 << 14 };

/* `number`: of all instructions executed, from 0. Never decreasing from call to call. */
void ledger_event(enum heavy kind, uint64_t number);
/* The rdtsc that was instruction `number` gave a counter whose low half is `instant`. */
void ledger_stamp(uint32_t instant, uint64_t number);

/*
 * The heavy instructions from instant `from` on, before instant `to`, both as low halves of the counter, which
 * counts instructions. An instant need not be a reading but must lie near one. False when it does not, or when what
 * would be counted has been overwritten.
 */
bool ledger_count(uint32_t from, uint32_t to, uint32_t counts[HEAVY_KINDS]);

/* As text, `cr3=0,msr=0,…`, into `text`; `unknown` where ledger_count refuses. */
enum { LEDGER_TEXT_CHARS = 256 };
void ledger_text(uint32_t from, uint32_t to, char text[LEDGER_TEXT_CHARS]);

#endif
