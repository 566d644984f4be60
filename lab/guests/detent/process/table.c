// SPDX-License-Identifier: MIT OR Apache-2.0
// The program of the image detent-osbench. It starts the boot module's program osbench as a process, and waits for its end.
#include "process/processes.h"
#include "process/registry.h"
#include "process/frames.h"
#include "process/grants.h"
#include "programs/processes/processes.h"

#include "board.h"

#define PROGRAM "osbench"
#define CANNOT 4 // the probe's exit code if the machine refuses

#define FIRST_LIVES_MS 20 // after each such time, the second process is ended

static int osbench_run(int count, char **words);
static int osbench_killed_run(int count, char **words);

const struct program programs[] = {
    {PROGRAM, "-h lists its options: what the kernel's operations cost, between processes too", osbench_run},
    {"osbench_killed", "the same; each second process is ended in the midst of its row", osbench_killed_run},
};
const size_t programs_count = sizeof programs / sizeof programs[0];

// The profile's name and the words, as one line. False if they do not fit.
static bool words_join(char line[PROCESS_COMMAND_CHARS], int count, char **words)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        const char *word = i == 0 ? profile.name : words[i];
        for (const char *c = word; *c != '\0' && length < PROCESS_COMMAND_CHARS; c++)
            line[length++] = *c;
        if (length >= PROCESS_COMMAND_CHARS)
            return false;
        line[length++] = i + 1 < count ? ' ' : '\0';
    }
    return length <= PROCESS_COMMAND_CHARS;
}

// Every FIRST_LIVES_MS, ends all processes except the first.
static DWORD killer_main(LPVOID first)
{
    for (;;) {
        Sleep(FIRST_LIVES_MS);
        for (struct process *process = processes; process < processes + PROCESSES_MAX; process++)
            if (process != first && process->ended != NULL)
                process_end(process, EXCEPTION_EXIT_CODE);
    }
    return 0;
}

// Starts a process that may use the connectors' ports.
static int osbench_start(int count, char **words, bool kills)
{
    char line[PROCESS_COMMAND_CHARS];
    if (!words_join(line, count, words)) {
        NKDbgPrintfW("osbench: more than %u characters of options\n", PROCESS_COMMAND_CHARS - 1);
        return CANNOT;
    }
    struct process *process = processes_ready() ? process_create(PROGRAM, line, PROGRAMS_PRIORITY, true) : NULL;
    if (process == NULL) {
        NKDbgPrintfW("osbench: cannot be started, error %u: its program is in the boot module osbench.a\n",
                     GetLastError());
        return CANNOT;
    }
    uint32_t free = frames_free();
    process_permit_ports(process);
    HANDLE killer = kills ? CreateThread(NULL, 0, killer_main, process, CREATE_SUSPENDED, NULL) : NULL;
    CeSetThreadPriority(killer, 0);
    ResumeThread(killer);
    ResumeThread(process->threads[0].thread);
    WaitForSingleObject(process->ended, INFINITE);
    DWORD exit_code = process->exit_code;
    if (kills)
        NKDbgPrintfW("osbench: pages %s\n", frames_free() >= free ? "all given back" : "lost");
    TerminateThread(killer, 0);
    process_close(process);
    return (int)exit_code;
}

static int osbench_run(int count, char **words)
{
    return osbench_start(count, words, false);
}

static int osbench_killed_run(int count, char **words)
{
    return osbench_start(count, words, true);
}
