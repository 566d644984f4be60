// SPDX-License-Identifier: MIT OR Apache-2.0
// See gate.h.
#include "core/gate.h"

volatile uint32_t kernel_gate = GATE_OPEN;
volatile uint64_t kernel_pending;
