// SPDX-License-Identifier: MIT OR Apache-2.0
// Stops the machine with one line if the kernel or the machine is broken. A program's mistake gives an error instead.
#ifndef DETENT_PANIC_H
#define DETENT_PANIC_H

_Noreturn void panic(const char *function, const char *reason);
#define ASSERT(condition) ((condition) ? (void)0 : panic(__func__, #condition))

#endif
