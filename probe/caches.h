// SPDX-License-Identifier: MIT OR Apache-2.0
// caches.h — replaces the contents of the first two levels of cache, as well as a program can.
#ifndef BACKWALL_PROBE_CACHES_H
#define BACKWALL_PROBE_CACHES_H

// Call before the first sweep. NULL, or why sweeping is not possible.
const char *caches_prepare(void);
void caches_sweep(void);

#endif
