// SPDX-License-Identifier: MIT OR Apache-2.0
// A row of osbench at the prompt.
#ifndef DETENT_OSBENCH_BLOCK_H
#define DETENT_OSBENCH_BLOCK_H

#include "../bench/osbench.h"

// Measures the row and prints a block like the 2002 tool's. If that fails, prints one line and returns false.
bool osbench_block(const struct osbench *asked, const struct operation *of, const struct plan *plan);

#endif
