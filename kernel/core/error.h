// SPDX-License-Identifier: MIT OR Apache-2.0
// Sets the error of a call that fails.
#ifndef DETENT_ERROR_H
#define DETENT_ERROR_H

#include "detent.h"

bool thread_error(DWORD error); // sets the running thread's last error; returns false

#endif
