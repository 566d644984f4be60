// SPDX-License-Identifier: MIT OR Apache-2.0
// APP_TEST: an application that knows nothing but the API. A named event, set by the interrupt's thread,
// wakes a thread of the highest priority that runs to completion and drives an output through a file.
#include "programs/answer.h"
#include "programs/load.h"
#include "programs/programs.h"
#include "programs/text.h"

#define PRIORITY_WORD "priority="
#define PRIORITY_HIGHEST 0 // the paper's
#define ANSWERS 1000000
#define EVENT_NAME _T("PWROFF")
#define DONE_NAME _T("DONE")
#define OUTPUT_NAME _T("LED3:")

static void output_set(HANDLE output, BYTE state)
{
    DWORD written;
    WriteFile(output, &state, 1, &written, NULL);
}

static DWORD answer_thread(LPVOID unused)
{
    (void)unused;
    HANDLE done = CreateEvent(NULL, FALSE, FALSE, DONE_NAME);
    HANDLE output = CreateFile(OUTPUT_NAME, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, EVENT_NAME);
    if (output == INVALID_HANDLE_VALUE || event == NULL) {
        RETAILMSG(TRUE, (_T("no output or event: error %u\r\n"), GetLastError()));
        SetEvent(done);
        return 1;
    }
    output_set(output, 0);
    answer_start(ANSWER_APPLICATION, event);
    for (int i = 0; i < ANSWERS; i++) {
        WaitForSingleObject(event, INFINITE);
        output_set(output, 1);
        output_set(output, 0);
    }
    CloseHandle(output);
    SetEvent(done);
    return 0;
}

// The first argument may give the application another priority; the rest are loads.
static bool priority_take(int *count, char ***arguments, uint32_t *priority)
{
    *priority = PRIORITY_HIGHEST;
    if (*count < 2 || !text_begins((*arguments)[1], PRIORITY_WORD))
        return true;
    const char *text = (*arguments)[1] + sizeof PRIORITY_WORD - 1;
    if (!text_number(text, priority) || *priority > 255) {
        NKDbgPrintfW("priority=%s: want a number from 0 to 255\n", text);
        return false;
    }
    (*arguments)[1] = (*arguments)[0];
    (*arguments)++;
    (*count)--;
    return true;
}

int app_test_run(int count, char **arguments)
{
    uint32_t priority;
    if (!priority_take(&count, &arguments, &priority) || !loads_create(count, arguments))
        return 2;
    DWORD failed = 1;
    HANDLE done = CreateEvent(NULL, FALSE, FALSE, DONE_NAME);
    HANDLE thread = CreateThread(NULL, 0, answer_thread, NULL, CREATE_SUSPENDED, NULL);
    CeSetThreadPriority(thread, (int)priority);
    CeSetThreadQuantum(thread, 0);
    ResumeThread(thread);
    loads_start();
    WaitForSingleObject(done, INFINITE);
    WaitForSingleObject(thread, INFINITE);
    GetExitCodeThread(thread, &failed);
    return (int)failed;
}
