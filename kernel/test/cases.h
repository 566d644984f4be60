// SPDX-License-Identifier: MIT OR Apache-2.0
// Cases of the semantics on the real core; the name of each states what must hold. The test itself is the idle thread, so every
// thread that it resumes runs until it blocks.
#ifndef DETENT_CASES_H
#define DETENT_CASES_H

#include <stdbool.h>
#include <string.h>

#include "core/call.h"
#include "core/chain.h"
#include "core/defects.h"
#include "core/event.h"
#include "core/irq.h"
#include "core/mutex.h"
#include "core/profile.h"
#include "core/ready.h"
#include "core/semaphore.h"
#include "core/thread.h"
#include "core/waits.h"
#include "oem.h"

extern HANDLE lock_1, lock_2, event_1, event_2; // created by start

void check(bool ok, const char *sentence);
void pass(char letter); // records that a thread has passed
bool order_was(const char *letters);
void start(const char *profile_name); // starts a fresh kernel
HANDLE spawn(LPTHREAD_START_ROUTINE main, uintptr_t argument, int priority);
void tick(unsigned count);
uint32_t current_priority(HANDLE thread);

#define DEVICE (SYSINTR_FIRMWARE + 7)
// Runs caller in a thread, stored in lock_1, and main in an interrupt's thread, which waits for event_2. The interrupt comes
// between two steps of caller.
HANDLE interrupted(LPTHREAD_START_ROUTINE caller, LPTHREAD_START_ROUTINE main);

// Thread functions shared by the cases.
DWORD waits_for_event_1(LPVOID letter);
DWORD sets_event_1(LPVOID pulse);

void cases_of_threads(void);
void cases_of_interrupts(void);
void cases_of_objects(void);
void cases_of_misuse(void);
void cases_of_ending(void);
void cases_of_chains(void);

#endif
