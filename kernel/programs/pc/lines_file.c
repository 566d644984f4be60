// SPDX-License-Identifier: MIT OR Apache-2.0
// See lines_file.h. The second serial port, 115200 baud, polled. National Semiconductor PC16550D, 8.0.
#include "programs/lines_file.h"

#include "detent.h"
#include "programs/text.h"
#include "x86/machine.h"

#define COM2 0x2F8
#define COM2_DIVISOR_HIGH (COM2 + 1)
#define COM2_FIFO (COM2 + 2)
#define COM2_LINE (COM2 + 3)
#define COM2_STATUS (COM2 + 5)
#define COM2_SCRATCH (COM2 + 7) // a register without function that keeps what is written to it
#define SCRATCH_TRIED 0x5A
#define STATUS_EMPTY 0x20

bool lines_file_open(const char *name)
{
    if (!text_equal(name, "COM2:"))
        return NKDbgPrintfW("-o %s: no such file; the only one is COM2:, the second serial port\n", name), false;
    out8(COM2_SCRATCH, SCRATCH_TRIED);
    if (in8(COM2_SCRATCH) != SCRATCH_TRIED)
        return NKDbgPrintfW("-o %s: this machine has no second serial port\n", name), false;
    out8(COM2_LINE, 0x80);
    out8(COM2, 1);
    out8(COM2_DIVISOR_HIGH, 0);
    out8(COM2_LINE, 0x03);
    out8(COM2_DIVISOR_HIGH, 0); // the divisor latch is closed, so this register enables interrupts: none
    out8(COM2_FIFO, 0xC7);
    return true;
}

void lines_file_put(const char *text)
{
    for (; *text != '\0'; text++) {
        while (!(in8(COM2_STATUS) & STATUS_EMPTY))
            ;
        out8(COM2, (uint8_t)*text);
    }
}
