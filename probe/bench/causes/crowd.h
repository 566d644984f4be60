// SPDX-License-Identifier: MIT OR Apache-2.0
// More than a machine can do, at the lowest nice value.
#pragma once

// So many processes that compute and wait in turns, and so many pairs that wake each other, until this one ends. Does not return.
void crowd_begin(int pollers, int pairs);
