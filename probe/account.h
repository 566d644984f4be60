// SPDX-License-Identifier: MIT OR Apache-2.0
// account.h — the series of a measured thread on the wire, from their declaration to their totals.
#ifndef BACKWALL_PROBE_ACCOUNT_H
#define BACKWALL_PROBE_ACCOUNT_H

#include <stdbool.h>

struct measured_thread;

// Declares the thread's series on the wire. Where several threads are measured, each series names its processor, which tells
// it from those of the other threads.
void account_declare(const struct measured_thread *thread, bool several);
// Takes all that is in the thread's ring and writes it as samples and losses.
void account_drain(struct measured_thread *thread);
// Once the thread has ended: writes the rest. False when due is not done + lost in one of its series.
bool account_close(struct measured_thread *thread);
// Writes how much processor time the thread used. Where several threads are measured, the values are about its first series.
// Nothing is written where the system keeps no account of it: a 0 would read as a figure.
void account_say_usage(const struct measured_thread *thread, bool several);
void account_say_totals(const struct measured_thread *thread);

#endif
