// SPDX-License-Identifier: MIT OR Apache-2.0
// session.h — runs a measure from its first record to its last.
#ifndef BACKWALL_PROBE_SESSION_H
#define BACKWALL_PROBE_SESSION_H

struct plan;

// Returns an enum probe_exit. Writes one stream. Another session with its own stream may follow.
int session_run(const struct plan *plan);

#endif
