// SPDX-License-Identifier: MIT OR Apache-2.0
// What a program saw by its own clock, in a file that outlives it: rows of from, to and a third figure, in nanoseconds.
#pragma once

#include <stdint.h>

struct ledger;

// NULL where BACKWALL_LEDGER is not set: nobody asks. Else the file $BACKWALL_LEDGER.NAME; exits with 4 where that cannot be written.
struct ledger *ledger_open(const char *name);

// A ledger that is full counts the row and drops it; no ledger drops it.
void ledger_add(struct ledger *ledger, int64_t from_ns, int64_t to_ns, int64_t third_ns);
