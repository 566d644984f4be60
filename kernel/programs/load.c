// SPDX-License-Identifier: MIT OR Apache-2.0
// See load.h. Each load has one line in the table.
#include "programs/load.h"

#include "programs/text.h"

#define PREFIX "load="
#define LOADS_MAX 4

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

static HANDLE started[LOADS_MAX];
static unsigned started_count;

static bool load_create(LPTHREAD_START_ROUTINE main, LPVOID argument, uint32_t priority)
{
    if (started_count == LOADS_MAX) {
        NKDbgPrintfW("load: at most %u at once\n", LOADS_MAX);
        return false;
    }
    HANDLE thread = CreateThread(NULL, 0, main, argument, CREATE_SUSPENDED, NULL);
    if (thread == NULL || !CeSetThreadPriority(thread, (int)priority))
        return false;
    started[started_count++] = thread;
    return true;
}

static bool load_create_named(const char *text)
{
    const char *priority_text = text_after(text, '@');
    uint32_t priority = LOAD_PRIORITY;
    if (priority_text != NULL && (!text_number(priority_text, &priority) || priority > 255)) {
        NKDbgPrintfW("load=%s: the priority must be 0 to 255\n", text);
        return false;
    }
    for (size_t i = 0; i < LOADS; i++)
        if (text_is(text, loads[i].name, '@'))
            return load_create(loads[i].main, loads[i].argument, priority);
    NKDbgPrintfW("load=%s: no such load; there are:", text);
    for (size_t i = 0; i < LOADS; i++)
        NKDbgPrintfW(" %s", loads[i].name);
    NKDbgPrintfW("\n");
    return false;
}

bool loads_create(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (!text_begins(arguments[i], PREFIX)) {
            NKDbgPrintfW("%s: %s: want load=NAME or load=NAME@PRIORITY\n", arguments[0], arguments[i]);
            return false;
        }
        if (!load_create_named(arguments[i] + sizeof PREFIX - 1))
            return false;
    }
    return true;
}

// Runs at the highest priority without a quantum, so that no load prevents this thread from starting the next load.
void loads_start(void)
{
    CeSetThreadPriority(GetCurrentThread(), 0);
    CeSetThreadQuantum(GetCurrentThread(), 0);
    for (unsigned i = 0; i < started_count; i++)
        ResumeThread(started[i]);
}
