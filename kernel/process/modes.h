// SPDX-License-Identifier: MIT OR Apache-2.0
// Prepares the CPU for user mode.
#ifndef DETENT_PROCESS_MODES_H
#define DETENT_PROCESS_MODES_H

#include <stdbool.h>

bool modes_start(void);

#endif
