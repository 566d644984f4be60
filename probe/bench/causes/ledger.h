// SPDX-License-Identifier: MIT OR Apache-2.0
// What a program saw by its own clock, in a file that remains when the program ends. Each row has a start, an end and a
// third figure, in nanoseconds.
#pragma once

#include <stdint.h>

struct ledger;

// Opens the file $BACKWALL_LEDGER.NAME; exits with 4 if it cannot be written. NULL if BACKWALL_LEDGER is not set, because nobody
// wants a ledger then.
struct ledger *ledger_open(const char *name);

// A full ledger counts the row and drops it. Without a ledger the row is dropped.
void ledger_add(struct ledger *ledger, int64_t from_ns, int64_t to_ns, int64_t third_ns);
