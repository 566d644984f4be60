// SPDX-License-Identifier: MIT OR Apache-2.0
// account.h — the series of a measured thread on the wire, from their declaration to their totals.
#ifndef BACKWALL_PROBE_ACCOUNT_H
#define BACKWALL_PROBE_ACCOUNT_H

#include <stdbool.h>

struct measured_thread;

// Declares the thread's series on the wire. If several threads are measured, each series also names the thread's CPU,
// so that the series of different threads can be told apart.
void account_declare(const struct measured_thread *thread, bool several);
// Takes everything in the thread's ring and writes it as samples and losses.
void account_drain(struct measured_thread *thread);
// Call it when the thread has ended: writes the rest. Returns false if due is not done + lost in a series.
bool account_close(struct measured_thread *thread);
// Writes how much CPU time the thread used. If several threads are measured, the values belong to its first series. If the system
// does not count CPU time, it writes nothing, because a 0 would look like a result.
void account_say_usage(const struct measured_thread *thread, bool several);
void account_say_totals(const struct measured_thread *thread);

#endif
