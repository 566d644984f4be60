// SPDX-License-Identifier: MIT OR Apache-2.0
// The start of the kernel.
#ifndef DETENT_START_H
#define DETENT_START_H

void kernel_init(void); // before the first thread; the caller becomes the idle thread

#endif
