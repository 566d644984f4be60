// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls of fuzz_test, and the objects that they use.
#ifndef DETENT_FUZZ_H
#define DETENT_FUZZ_H

#include "detent.h"

#define FUZZ_CALLS_MAX 26
#define FUZZ_SYSINTR_SHARED (SYSINTR_DEVICES + 7) // without a fixed interrupt thread; a thread holds it for a while

struct fuzz_call {
    const char *name;
    void (*make)(void);
    bool never_opens; // the call never opens the gate, so no interrupt comes inside it
};

extern const struct fuzz_call fuzz_calls[];
extern const unsigned fuzz_calls_count;

void fuzz_start(unsigned workers); // creates objects and threads
void fuzz_begin(void);             // called by a worker thread before its first call
void fuzz_make(unsigned call);     // by the running thread; may not return
unsigned fuzz_call_now(void);      // the running thread's current call; fuzz_calls_count: none
void fuzz_help(void);              // called by the idle thread: releases what others may wait for without a timeout
DWORD fuzz_worker(LPVOID unused);  // the main function of the worker threads

// fuzz_lines.c: random calls about interrupts. fuzz_lines_broken names the first of their invariants that does not hold; NULL:
// all hold.
void fuzz_lines_start(void);
void fuzz_chain_load(void);
void fuzz_chain_free(void);
void fuzz_interrupt_take(void);
void fuzz_interrupt_drop(void);
const char *fuzz_lines_broken(void);

#endif
