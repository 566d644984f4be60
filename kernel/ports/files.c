// SPDX-License-Identifier: MIT OR Apache-2.0
// The only files of the kernel: "LED1:" to "LED3:", the first three outputs of the first connector.
#include "board.h"
#include "core/error.h"
#include "core/object.h"
#include "core/thread.h"

volatile uint8_t outputs_state;

#define LED_FILES 3

HANDLE CreateFile(LPCTSTR name, DWORD access, DWORD share, LPVOID attributes, DWORD creation, DWORD flags,
                  HANDLE template_file)
{
    (void)share, (void)attributes, (void)flags, (void)template_file;
    bool is_led = name != NULL && name[0] == 'L' && name[1] == 'E' && name[2] == 'D' && name[3] >= '1'
                  && name[3] < '1' + LED_FILES && name[4] == ':' && name[5] == '\0';
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
    uint8_t output = (uint8_t)(1u << HANDLE_INDEX(file, 1024));
    if (*(const BYTE *)data != 0)
        output_raise(output);
    else
        output_lower(output);
    if (written != NULL)
        *written = 1;
    return TRUE;
}
