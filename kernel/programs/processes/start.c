// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts a program of the boot module and waits for its end.
#include "process/processes.h"
#include "process/registry.h"
#include "process/grants.h"
#include "process/tables.h"
#include "programs/processes/processes.h"

bool processes_ready(void)
{
    static bool tried, ready;
    if (!tried)
        ready = processes_start();
    tried = true;
    if (!ready)
        NKDbgPrintfW(
            "processes: this machine has no SYSCALL and no-execute pages, or too little memory; or dwOEMPTPoolSize, "
            "%u, is not from %u to %u\n",
            dwOEMPTPoolSize, PAGE_TABLES_LEAST, PAGE_TABLES_MOST);
    return ready;
}

struct process *process_begin(const char *program, const char *command, uint64_t interrupts)
{
    struct process *process = process_create(program, command, PROGRAMS_PRIORITY, true);
    if (process == NULL)
        return NULL;
    for (DWORD sysintr = 0; sysintr < SYSINTR_MAXIMUM; sysintr++)
        if (interrupts >> sysintr & 1)
            process_permit_interrupt(process, sysintr);
    ResumeThread(process->threads[0].thread);
    return process;
}

static bool finish(struct process *process, DWORD *exit_code)
{
    if (process == NULL)
        return false;
    WaitForSingleObject(process->ended, INFINITE);
    *exit_code = process->exit_code;
    process_close(process);
    return true;
}

bool process_finish(const char *program, const char *command, DWORD *exit_code)
{
    return finish(process_begin(program, command, 0), exit_code);
}

bool process_finish_permitted(const char *program, const char *command, uint64_t interrupts, DWORD *exit_code)
{
    return finish(process_begin(program, command, interrupts), exit_code);
}

// Joins the words to one line, truncated to the size of the line.
static void words_join(char *line, int count, char **words)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && length < PROCESS_COMMAND_CHARS - 1)
            line[length++] = ' ';
        for (const char *c = words[i]; *c != '\0' && length < PROCESS_COMMAND_CHARS - 1; c++)
            line[length++] = *c;
    }
    line[length] = '\0';
}

int start_run(int count, char **arguments)
{
    char line[PROCESS_COMMAND_CHARS];
    DWORD exit_code;
    if (count < 2 || !processes_ready())
        return 2;
    words_join(line, count - 2, arguments + 2);
    if (!process_finish(arguments[1], line, &exit_code)) {
        NKDbgPrintfW("%s: cannot be started, error %u\n", arguments[1], GetLastError());
        return 1;
    }
    NKDbgPrintfW("%s ended with %u\n", arguments[1], exit_code);
    return exit_code != 0;
}
