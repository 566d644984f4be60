// SPDX-License-Identifier: MIT OR Apache-2.0
// What random_test's parts share: the objects and threads of a run, in the kernel and in the model.
#ifndef DETENT_RANDOM_H
#define DETENT_RANDOM_H

#include "detent.h"
#include "test/model.h"

#define DEVICE (SYSINTR_DEVICES + 1)
enum { AUTO_A, AUTO_B, MANUAL, SEMAPHORE, MUTEX_A, MUTEX_B, MUTEX_C, SECTION_A, SECTION_B, DEVICE_EVENT, OBJECTS };
#define WAITABLE SECTION_A // those before it have handles

#define HELPER (MODEL_THREADS - 1) // launched by the idle thread alone: releases what many may wait for

extern HANDLE handles[OBJECTS];
extern CRITICAL_SECTION sections[2];
extern HANDLE thread_handles[MODEL_THREADS];
extern const char *last_operation;
extern bool may_interrupt; // inside the kernel's calls; false where the model takes several steps as one
extern bool device_in_service, device_held;

void expect(const char *what, long got, long expected); // a difference ends the run
void device_interrupt(void);
void tick(void);
void thread_launch(int t);
void operate(int t); // one operation at random by the running thread, which is t
void operate_done(int t);
bool owns_something(int t);

#endif
