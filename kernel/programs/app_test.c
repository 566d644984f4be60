// SPDX-License-Identifier: MIT OR Apache-2.0
// APP_TEST: an application that uses only the API. The interrupt's thread sets a named event, which wakes a thread of the highest
// priority. This thread drives an output through a file. The second paper uses this chain. In the first paper, the event of the
// ISR's SYSINTR wakes the application (linkage=isr).
#include "programs/answer.h"
#include "programs/load.h"
#include "programs/programs.h"
#include "programs/text.h"

#define PRIORITY_WORD "priority="
#define PRIORITY_HIGHEST 0 // the paper's priority
#define LINKAGE_WORD "linkage="
#define ANSWERS_WORD "answers="
#define EVENT_NAME _T("PWROFF")
#define DONE_NAME _T("DONE")
#define OUTPUT_NAME _T("LED3:")

static uint32_t answers = 1000000;                   // the program ends after this many
static enum answer_depth depth = ANSWER_APPLICATION; // linkage=isr: without an interrupt thread in between

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
    answer_start(depth, event);
    for (uint32_t i = 0; i < answers; i++) {
        WaitForSingleObject(event, INFINITE);
        output_set(output, 1);
        output_set(output, 0);
        if (depth == ANSWER_APPLICATION_ALONE)
            InterruptDone(SYSINTR_ANSWER);
    }
    CloseHandle(output);
    SetEvent(done);
    return 0;
}

// The arguments of APP_TEST, which come before the loads.
static bool word_take(const char *word, uint32_t *priority)
{
    if (text_equal(word, LINKAGE_WORD "isr") || text_equal(word, LINKAGE_WORD "ist")) {
        depth = text_equal(word, LINKAGE_WORD "isr") ? ANSWER_APPLICATION_ALONE : ANSWER_APPLICATION;
        return true;
    }
    if (text_begins(word, LINKAGE_WORD)) {
        NKDbgPrintfW("%s: want linkage=isr or linkage=ist\n", word);
        return false;
    }
    if (text_begins(word, ANSWERS_WORD)) {
        bool is_number = text_number(word + sizeof ANSWERS_WORD - 1, &answers) && answers > 0;
        if (!is_number)
            NKDbgPrintfW("%s: want a number from 1\n", word);
        return is_number;
    }
    const char *text = word + sizeof PRIORITY_WORD - 1;
    if (!text_number(text, priority) || *priority > 255) {
        NKDbgPrintfW("priority=%s: want a number from 0 to 255\n", text);
        return false;
    }
    return true;
}

static bool is_own(const char *word)
{
    return text_begins(word, PRIORITY_WORD) || text_begins(word, LINKAGE_WORD) || text_begins(word, ANSWERS_WORD);
}

static bool words_take(int *count, char ***arguments, uint32_t *priority)
{
    *priority = PRIORITY_HIGHEST;
    while (*count > 1 && is_own((*arguments)[1])) {
        if (!word_take((*arguments)[1], priority))
            return false;
        (*arguments)[1] = (*arguments)[0];
        (*arguments)++;
        (*count)--;
    }
    return true;
}

int app_test_run(int count, char **arguments)
{
    uint32_t priority;
    if (!words_take(&count, &arguments, &priority) || !loads_create(count, arguments))
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
