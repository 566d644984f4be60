// SPDX-License-Identifier: MIT OR Apache-2.0
// The end, for what only a broken kernel or machine can do. What a program does wrong has an error instead.
#ifndef DETENT_PANIC_H
#define DETENT_PANIC_H

_Noreturn void panic(const char *function, const char *reason);
#define ASSERT(condition) ((condition) ? (void)0 : panic(__func__, #condition))

#endif
