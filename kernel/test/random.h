// SPDX-License-Identifier: MIT OR Apache-2.0
// What the files of random_test share: the objects and threads of a run, in the kernel and in the model.
#ifndef DETENT_RANDOM_H
#define DETENT_RANDOM_H

#include "detent.h"
#include "test/model.h"

#define DEVICE (SYSINTR_DEVICES + 1)
enum { AUTO_A, AUTO_B, MANUAL, SEMAPHORE, MUTEX_A, MUTEX_B, MUTEX_C, SECTION_A, SECTION_B, DEVICE_EVENT, OBJECTS };
#define WAITABLE SECTION_A // objects before it have handles

#define HELPER (MODEL_THREADS - 1) // created by the idle thread only: releases what many threads may wait for

extern HANDLE handles[OBJECTS];
extern CRITICAL_SECTION sections[2];
extern HANDLE thread_handles[MODEL_THREADS];
extern const char *last_operation;
extern bool may_interrupt; // whether interrupts may come inside calls; false if the model does the steps at once
extern bool device_in_service, device_held;

void expect(const char *what, long got, long expected); // ends the run if they differ
void device_interrupt(void);
void tick(void);
void thread_launch(int t);
void operate(int t); // makes one random operation in the running thread, which is t
void operate_done(int t);
bool owns_something(int t);

#endif
