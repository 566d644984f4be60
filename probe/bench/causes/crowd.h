// SPDX-License-Identifier: MIT OR Apache-2.0
// More than a machine can do, at the lowest nice value.
#pragma once

// Starts `pollers` processes that compute and wait in turn, and `pairs` pairs that wake each other, until this process ends. Does
// not return.
void crowd_begin(int pollers, int pairs);
