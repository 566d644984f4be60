// SPDX-License-Identifier: MIT OR Apache-2.0
// Tells the compiler which way a branch usually goes, and which functions seldom run, so that the usual paths are short.
#ifndef DETENT_LIKELY_H
#define DETENT_LIKELY_H

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// A function on no measured path: optimised for size instead of speed.
#define SELDOM __attribute__((cold))

#endif
