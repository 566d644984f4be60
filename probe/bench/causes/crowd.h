// SPDX-License-Identifier: MIT OR Apache-2.0
// A load of more than the machine can do, at a lower priority than ordinary threads (nice 10).
#pragma once

// Starts `pollers` processes that compute and wait in turn, and `pairs` pairs that wake each other, until this process ends. Does
// not return.
void crowd_begin(int pollers, int pairs);
