// SPDX-License-Identifier: MIT OR Apache-2.0
// A file to which a program writes lines. Detent has no disk, so the file is the second serial port.
#ifndef DETENT_LINES_FILE_H
#define DETENT_LINES_FILE_H

#include <stdbool.h>

// Opens "COM2:". For another name, or if the device does not exist, prints a line with the reason and returns false.
bool lines_file_open(const char *name);
void lines_file_put(const char *text);

#endif
