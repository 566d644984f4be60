// SPDX-License-Identifier: MIT OR Apache-2.0
// See load.h: one line a load.
#include "programs/load.h"

#include "programs/text.h"

#define PREFIX "load="

static const struct {
    const char *name;
    LPTHREAD_START_ROUTINE main;
    LPVOID argument;
} loads[] = {
    {"calls", calls_main, NULL},
    {"polygons", polygons_main, (LPVOID)1},
    {"polygons-memory", polygons_main, NULL},
};
#define LOADS (sizeof loads / sizeof loads[0])

static bool load_start_one(const char *text)
{
    const char *priority_text = text_after(text, '@');
    uint32_t priority = LOAD_PRIORITY;
    if (priority_text != NULL && (!text_number(priority_text, &priority) || priority > 255)) {
        NKDbgPrintfW("load=%s: the priority must be 0 to 255\n", text);
        return false;
    }
    for (size_t i = 0; i < LOADS; i++) {
        if (!text_is(text, loads[i].name, '@'))
            continue;
        HANDLE thread = CreateThread(NULL, 0, loads[i].main, loads[i].argument, CREATE_SUSPENDED, NULL);
        return thread != NULL && CeSetThreadPriority(thread, (int)priority) && ResumeThread(thread) == 1;
    }
    NKDbgPrintfW("load=%s: no such load; there are:", text);
    for (size_t i = 0; i < LOADS; i++)
        NKDbgPrintfW(" %s", loads[i].name);
    NKDbgPrintfW("\n");
    return false;
}

bool load_start(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (!text_begins(arguments[i], PREFIX)) {
            NKDbgPrintfW("%s: %s: want load=NAME or load=NAME@PRIORITY\n", arguments[0], arguments[i]);
            return false;
        }
        if (!load_start_one(arguments[i] + sizeof PREFIX - 1))
            return false;
    }
    return true;
}
