// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls of fuzz_test and what they are made on.
#ifndef DETENT_FUZZ_H
#define DETENT_FUZZ_H

#include "detent.h"

#define FUZZ_CALLS_MAX 26
#define FUZZ_SYSINTR_SHARED (SYSINTR_DEVICES + 7) // of no interrupt thread: its holder at the time

struct fuzz_call {
    const char *name;
    void (*make)(void);
    bool never_opens; // the gate, so no interrupt comes inside
};

extern const struct fuzz_call fuzz_calls[];
extern const unsigned fuzz_calls_count;

void fuzz_start(unsigned workers); // objects and threads
void fuzz_begin(void);             // by a thread that makes calls, before its first
void fuzz_make(unsigned call);     // by the running thread; may not come back
unsigned fuzz_call_now(void);      // the one that the running thread is in; fuzz_calls_count: in none
void fuzz_help(void);              // by the idle thread: what others may wait for, for ever
DWORD fuzz_worker(LPVOID unused);  // the main function of the threads that make calls

// fuzz_lines.c: random calls about interrupts. fuzz_lines_broken names the first of their invariants that does not hold; NULL:
// all hold.
void fuzz_lines_start(void);
void fuzz_chain_load(void);
void fuzz_chain_free(void);
void fuzz_interrupt_take(void);
void fuzz_interrupt_drop(void);
const char *fuzz_lines_broken(void);

#endif
