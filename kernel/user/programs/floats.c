// SPDX-License-Identifier: MIT OR Apache-2.0
// Computes with floating point while other programs do the same. Its exit code is the number of wrong results. The command line
// is a digit, the initial value.
#include "user/program.h"

#define ROUNDS 200
#define STEPS 16

DWORD program_main(LPCTSTR command)
{
    DWORD wrong = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        double value = command[0] - '0';
        for (unsigned step = 0; step < STEPS; step++) {
            value += 0.5;
            value_keep(&value); // keeps the value while the other threads run
            Sleep(0);
        }
        wrong += value != command[0] - '0' + STEPS * 0.5;
    }
    return wrong;
}
