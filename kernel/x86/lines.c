// SPDX-License-Identifier: MIT OR Apache-2.0
// The bench's connector: the parallel port. Its interrupt is the stimulus, its data bits the responses.
// IEEE 1284 compatibility mode; bit 4 of the control register lets the interrupt through.
#include "x86/lines.h"

#include "core.h"
#include "machine.h"

volatile uint8_t lines_state;

#define LED_FILES 3

// "LED1:" is the ISR's line, "LED2:" the IST's, "LED3:" the application's.
HANDLE CreateFile(LPCTSTR name, DWORD access, DWORD share, LPVOID attributes, DWORD creation, DWORD flags,
                  HANDLE template_file)
{
    (void)share, (void)attributes, (void)flags, (void)template_file;
    bool is_led = name != NULL && name[0] == 'L' && name[1] == 'E' && name[2] == 'D' && name[3] >= '1' &&
                  name[3] < '1' + LED_FILES && name[4] == ':' && name[5] == '\0';
    if (!is_led || access != GENERIC_WRITE || creation != OPEN_EXISTING) {
        thread_error(is_led ? ERROR_INVALID_PARAMETER : ERROR_FILE_NOT_FOUND);
        return INVALID_HANDLE_VALUE;
    }
    return (HANDLE)(uintptr_t)(HANDLE_GENERATION + (uint32_t)(name[3] - '1') * 64 + KIND_FILE);
}

BOOL WriteFile(HANDLE file, LPCVOID data, DWORD bytes, LPDWORD written, LPVOID overlapped)
{
    (void)overlapped;
    if (HANDLE_KIND(file) != KIND_FILE || HANDLE_INDEX(file, 1024) >= LED_FILES)
        return thread_error(ERROR_INVALID_HANDLE);
    if (bytes != 1 || data == NULL)
        return thread_error(ERROR_INVALID_PARAMETER);
    uint8_t line = (uint8_t)(1u << HANDLE_INDEX(file, 1024));
    if (*(const BYTE *)data != 0)
        line_raise(line);
    else
        line_lower(line);
    if (written != NULL)
        *written = 1;
    return TRUE;
}
