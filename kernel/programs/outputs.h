// SPDX-License-Identifier: MIT OR Apache-2.0
// The outputs of the first connector, on which the programs signal to an instrument outside the machine.
#ifndef DETENT_OUTPUTS_H
#define DETENT_OUTPUTS_H

#include "board.h"

#define OUTPUT_ISR 0x01         // raised and lowered in the ISR; the file "LED1:"
#define OUTPUT_IST 0x02         // the same in the interrupt's thread; "LED2:"
#define OUTPUT_APPLICATION 0x04 // the same in the application's thread; "LED3:"
#define OUTPUT_PROGRESS 0x08    // toggled after each unit of a load

#endif
