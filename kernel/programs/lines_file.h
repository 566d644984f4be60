// SPDX-License-Identifier: MIT OR Apache-2.0
// A file that a program writes lines to. Detent has no disk: its files are devices, here the second serial port.
#ifndef DETENT_LINES_FILE_H
#define DETENT_LINES_FILE_H

#include <stdbool.h>

// Opens "COM2:". False, with a line that says why, for another name or if the device does not exist.
bool lines_file_open(const char *name);
void lines_file_put(const char *text);

#endif
