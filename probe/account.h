// SPDX-License-Identifier: MIT OR Apache-2.0
// account.h — the series of a measured thread on the wire, from their declaration to their totals.
#ifndef BACKWALL_PROBE_ACCOUNT_H
#define BACKWALL_PROBE_ACCOUNT_H

#include <stdbool.h>

struct measured_thread;

// Declares the series; several: with the processor, which tells them from those of the other threads.
void account_declare(const struct measured_thread *thread, bool several);
// Writes what is in the ring.
void account_drain(struct measured_thread *thread);
// Of a thread that has ended: writes the rest. False when due is not done + lost in some series.
bool account_close(struct measured_thread *thread);
// What the thread used; several: as of its first series. Nothing where the system keeps no account: a 0 would be a figure.
void account_say_usage(const struct measured_thread *thread, bool several);
void account_say_totals(const struct measured_thread *thread);

#endif
