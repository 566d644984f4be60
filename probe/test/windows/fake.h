// SPDX-License-Identifier: MIT OR Apache-2.0
// A build with mingw-w64 includes this file before each file of the fake port, for its test only. It replaces C11's
// aligned_alloc, which the library lacks, and writes output without carriage returns.
#ifndef BACKWALL_TEST_WINDOWS_FAKE_H
#define BACKWALL_TEST_WINDOWS_FAKE_H

#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <stdlib.h>

#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#define free(memory) _aligned_free(memory)

__attribute__((constructor)) static void output_is_bytes(void)
{
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
}

#endif
