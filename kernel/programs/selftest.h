// SPDX-License-Identifier: MIT OR Apache-2.0
// Functions that the parts of the self-test share. A part is a file and a line in selftest.c.
#ifndef DETENT_SELFTEST_H
#define DETENT_SELFTEST_H

#include "detent.h"

// The priorities are among the last eight, so that they also differ if there are only eight levels.
#define PRIORITY_HIGHEST 248
#define PRIORITY_HIGH 249
#define PRIORITY_SELFTEST 252
#define PRIORITY_LOW 254

void check(bool ok, const char *sentence);
void skip(const char *sentence, const char *reason);
HANDLE selftest_thread(LPTHREAD_START_ROUTINE start, uintptr_t argument, int priority);
void selftest_end(HANDLE thread); // waits for the thread's end and closes its handle

void selftest_threads(void);
void selftest_time(void);
void selftest_interrupts(void);
void selftest_level(void);
void selftest_locks(void);
void selftest_fpu(void);
void selftest_idle(void);

#endif
